import { numberOfItem } from '../../contract/ids.ts';
import type { MessageRole } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { type Branches, useBranches } from './branch-context.ts';
import type { Editing } from './use-editing.ts';
import { VariantSwitch } from './variant-switch.tsx';

interface Props {
  readonly id: string;
  readonly role: MessageRole;
  readonly editing: Editing;
}

/** What the user can do with a stored message: edit it, run its turn again, select a variant, fork the conversation. */
export function BranchActions({ id, role, editing }: Props) {
  const branches = useBranches();
  if (!branches) return null;
  const { canReplace, isWaiting, canFork, lastId, lastPersonId, lastUserId, variantsOf, sending } = branches;
  const canRegenerate = (canReplace || sending === 'regenerate') && isAfter(lastUserId, lastPersonId);
  // Where the user has written since, another variant is selected in a fork.
  const canSelect = isAfter(id, lastPersonId) || isAfter(lastUserId, id);
  const variants = canSelect ? variantsOf(id) : undefined;
  return (
    // Actions that appear after a turn are no messages: the list of messages must not announce them.
    <span aria-live="off" className="contents">
      {variants && (canReplace || isWaiting) && <VariantSwitch {...{ id, variants, branches }} />}
      {canReplace && role === 'user' && isAfter(id, lastPersonId) && <EditButton {...{ editing }} />}
      {canRegenerate && id === lastId && <RegenerateButton {...{ id, branches }} />}
      {canFork && role === 'assistant' && <ForkButton {...{ id, branches }} />}
    </span>
  );
}

/** Whether a message was written after another one. Without the other one, it was. */
function isAfter(id: string | undefined, other: string | undefined): boolean {
  return other === undefined || (id !== undefined && numberOfItem(id) > numberOfItem(other));
}

type EditButtonProps = Pick<Props, 'editing'>;

function EditButton({ editing }: EditButtonProps) {
  const t = texts().branches;
  return (
    <Button look="quiet" small ref={editing.button} aria-label={t.edit} title={t.edit} onClick={editing.open}>
      <Icon name="edit" className="size-4" />
    </Button>
  );
}

interface ButtonProps {
  readonly branches: Branches;
}

function RegenerateButton({ id, branches: { sending, regenerate } }: ButtonProps & Pick<Props, 'id'>) {
  const label = texts().page.tryAgain;
  return (
    <SendingButton
      name="regenerate"
      {...{ sending }}
      onClick={() => regenerate(id)}
      icon="retry"
      aria-label={label}
      title={label}
    />
  );
}

function ForkButton({ id, branches: { sending, fork } }: ButtonProps & Pick<Props, 'id'>) {
  const label = texts().branches.fork;
  return (
    <SendingButton
      name={`fork ${id}`}
      {...{ sending }}
      onClick={() => fork(id)}
      icon="branch"
      aria-label={label}
      title={label}
    />
  );
}

interface SendingButtonProps {
  /** The name of its action. */
  readonly name: string;
  /** The action that is being sent. */
  readonly sending: string | undefined;
  readonly onClick: () => void;
  readonly icon: IconName;
  readonly title: string;
  readonly 'aria-label': string;
}

/** It stays enabled while it is busy: a disabled button loses the focus, and a dialog could not return it. */
function SendingButton({ name, sending, onClick, icon, ...rest }: SendingButtonProps) {
  const isBusy = sending === name;
  const click = () => sending === undefined && onClick();
  return (
    <Button look="quiet" small {...rest} aria-busy={isBusy || undefined} onClick={click}>
      {isBusy ? <Spinner /> : <Icon name={icon} className="size-4" />}
    </Button>
  );
}
