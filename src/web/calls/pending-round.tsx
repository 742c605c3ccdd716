import { type ComponentType, lazy } from 'react';
import { type ClientToolName, isClientToolName } from '../../contract/client-tools.ts';
import type { PendingToolCall } from '../../sdk/index.ts';
import { formats, texts } from '../texts/current.ts';
import { titleOf } from '../timeline/labels.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { retried } from '../ui/load.ts';
import { ApproveForm } from './forms/approve-form.tsx';
import { AskUserForm } from './forms/ask-user-form.tsx';
import { CustomForm } from './forms/custom-form.tsx';
import type { FormProps, Viewer } from './forms/form-props.ts';
import { UploadForm } from './forms/upload-form.tsx';
import type { Round } from './use-round.ts';
import { canAnswer, WaitingCall } from './waiting-call.tsx';

interface Props {
  readonly round: Round;
  readonly conversationId: string;
  readonly viewer: Viewer;
  /** Whether the first form takes the focus when it appears. */
  readonly takesFocus?: boolean;
  /** Whether the outputs are being sent. */
  readonly isSending: boolean;
}

// Only members see it.
const RaiseForm = lazy(async () => ({ default: (await retried(() => import('./forms/raise-form.tsx'))).RaiseForm }));

/** Tools with a form. Any other tool has a field for JSON. */
const FORMS: Readonly<Record<ClientToolName, ComponentType<FormProps>>> = {
  ask_user: AskUserForm,
  upload_document: UploadForm,
  approve_action: ApproveForm,
  raise_budget: RaiseForm,
};

/** The forms of all pending calls. Their outputs are sent together when all are complete. */
export function PendingRound({ round, conversationId, viewer, takesFocus = true, isSending }: Props) {
  const { calls, outputs, rejections } = round;
  const t = texts().round;
  // All calls of a step are answered together, so one approval of the other side decides for all of them.
  if (!calls.every((call) => canAnswer({ call, viewer }))) {
    return (
      <div className="flex flex-col gap-4">
        {calls.map((call) => (
          <WaitingCall key={call.callId} {...{ call, viewer }} />
        ))}
      </div>
    );
  }
  const missing = calls.filter(({ callId }) => !outputs.has(callId));
  const isLast = missing.length <= 1;
  return (
    <div className="flex flex-col gap-4">
      {calls.length > 1 && <Missing total={calls.length} missing={missing} />}
      <Deadline calls={calls} />
      {calls.map((call) => {
        const { callId } = call;
        if (calls.length > 1 && outputs.has(callId)) {
          const onChange = round.canChange ? () => round.clearOutput(callId) : undefined;
          return <SavedOutput key={callId} call={call} onChange={onChange} isSending={isSending} />;
        }
        const Form = isClientToolName(call.name) ? FORMS[call.name] : CustomForm;
        return (
          <Form
            key={callId}
            call={call}
            address={{ conversationId, callId }}
            viewer={viewer}
            rejection={rejections.get(callId)}
            submit={isLast ? t.send : t.saveAndContinue}
            isSending={isSending || outputs.has(callId)}
            takesFocus={takesFocus && callId === missing[0]?.callId}
            onOutput={(output) => round.setOutput(callId, output)}
          />
        );
      })}
    </div>
  );
}

/** The deadline of the call that expires first. */
function Deadline({ calls }: { readonly calls: readonly PendingToolCall[] }) {
  const [first] = calls.flatMap(({ expiresAt }) => expiresAt ?? []).sort();
  if (!first) return null;
  return (
    <p className="text-sm text-muted">
      <time dateTime={first}>{texts().round.answerUntil(new Date(first).toLocaleString(formats().locale))}</time>
    </p>
  );
}

function Missing({ total, missing }: { readonly total: number; readonly missing: readonly PendingToolCall[] }) {
  const t = texts().round;
  const names = missing.map(({ name }) => titleOf(name)).join(', ');
  return (
    <p role="status" className="text-sm text-muted">
      {missing.length === 0 ? t.allComplete(total) : t.missing(total - missing.length, total, names)}
    </p>
  );
}

interface SavedProps {
  readonly call: PendingToolCall;
  readonly onChange: (() => void) | undefined;
  readonly isSending: boolean;
}

function SavedOutput({ call, onChange, isSending }: SavedProps) {
  const t = texts().round;
  return (
    <div className="flex min-h-14 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2">
      {isSending ? <Spinner /> : <Icon name="check" className="size-5 text-ok" />}
      <p className="min-w-0 flex-1">
        <span className="font-medium">{titleOf(call.name)}</span>{' '}
        <span className="text-muted">{isSending ? t.sending : t.saved}</span>
      </p>
      {onChange && (
        <Button small onClick={onChange} aria-label={t.changeNamed(titleOf(call.name))}>
          {t.change}
        </Button>
      )}
    </div>
  );
}
