import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { retried } from '../../ui/load.ts';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { TAKE_OVER } from './documents.ts';
import type { Handling } from './fragment.ts';

interface Props {
  readonly conversation: {
    readonly conversationId: string;
    readonly status: 'ACTIVE' | 'COMPLETED';
    readonly handling: Handling;
  };
  readonly isRunning: boolean;
}

/** Who answers the user, with the buttons that change it. */
export function HandlingBar({ conversation, isRunning }: Props) {
  const { conversationId: id, status, handling } = conversation;
  const canHandle = usePermission('conversations:handle');
  const { look, icon, text } = stateOf(handling);
  const mayTake = canHandle && status === 'ACTIVE';
  return (
    <section aria-label="Who answers" className={`flex flex-col gap-2 rounded-xl px-4 py-3 ${look}`}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="flex min-w-0 flex-1 basis-56 items-center gap-2">
          <Icon name={icon} />
          <span className="min-w-0 break-words">{text}</span>
          {handling.urgency === 'HIGH' && <Badge tone="danger">Urgent</Badge>}
        </p>
        <div className="flex flex-wrap gap-2">
          {handling.mode === 'MEMBER' && handling.isMine && <HandBack id={id} />}
          {mayTake && handling.mode !== 'MEMBER' && <Take {...{ id, isRunning }} />}
          {mayTake && handling.mode === 'MEMBER' && !handling.isMine && (
            <TakeByForce id={id} name={handling.member?.displayName ?? ''} />
          )}
        </div>
      </div>
      {handling.reason && <p className="min-w-0 text-sm break-words">“{handling.reason}”</p>}
      {handling.mode === 'WAITING' && handling.until && (
        <p className="text-sm">
          {handling.onExpiry === 'RETURN' ? 'The assistant answers again ' : 'The wait ends '}
          <Time at={handling.until} />.
        </p>
      )}
    </section>
  );
}

interface State {
  readonly look: string;
  readonly icon: IconName;
  readonly text: ReactNode;
}

/** Why a person is needed. Other causes need no words. */
const CAUSES: Readonly<Partial<Record<NonNullable<Handling['cause']>, string>>> = {
  ASSISTANT: 'The assistant asked for a person.',
  FAILURES: 'Turns have failed.',
  RATING: 'The user has rated a reply down.',
  LEASE_EXPIRED: 'The person has left.',
};

function stateOf(handling: Handling): State {
  const since = handling.since && <Time at={handling.since} />;
  if (handling.mode === 'ASSISTANT')
    return { look: 'bg-sunken text-ink', icon: 'bolt', text: 'The assistant answers.' };
  if (handling.mode === 'WAITING') {
    const cause = handling.cause && CAUSES[handling.cause];
    return {
      look: 'bg-warn-soft text-warn',
      icon: 'clock',
      text: (
        <>
          {cause} Waits for a person · {since}
        </>
      ),
    };
  }
  const who = handling.isMine ? 'You answer' : `${handling.member?.displayName} answers`;
  return {
    look: 'bg-accent-soft text-accent',
    icon: 'user',
    text: (
      <>
        {who} · {since}
      </>
    ),
  };
}

function Take({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) {
  const { mutate, busy, error } = useServiceMutation(TAKE_OVER);
  const take = (running: 'STOP' | 'WAIT') => mutate({ input: { conversationId: id, running } });
  return (
    <>
      {isRunning && (
        <Button small busy={busy} onClick={() => take('WAIT')}>
          Take over after this reply
        </Button>
      )}
      <Button small look="primary" busy={busy} onClick={() => take('STOP')}>
        Take over
      </Button>
      <ErrorNotice error={error} />
    </>
  );
}

function TakeByForce({ id, name }: { readonly id: string; readonly name: string }) {
  const { mutate, busy, error, reset } = useServiceMutation(TAKE_OVER);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    reset();
  };
  const take = async () => {
    if (await mutate({ input: { conversationId: id, force: true } })) close();
  };
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        Take from {name}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Take this conversation from ${name}?`}
          verb="Take over"
          look="primary"
          onConfirm={take}
          onClose={close}
          {...{ busy, error }}
        >
          <p>{name} cannot answer in it any more. The audit log records that you took it.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

// Its form needs more script than the page.
const HandBackDialog = lazy(async () => ({
  default: (await retried(() => import('./hand-back-dialog.tsx'))).HandBackDialog,
}));

function HandBack({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Hand back
      </Button>
      <Suspense fallback={null}>{isOpen && <HandBackDialog id={id} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
