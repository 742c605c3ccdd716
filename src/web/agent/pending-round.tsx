import type { ComponentType } from 'react';
import { type ClientToolName, isClientToolName } from '../../contract/client-tools.ts';
import type { PendingToolCall } from '../../sdk/index.ts';
import { titleOf } from '../timeline/labels.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { AskUserForm } from './forms/ask-user-form.tsx';
import { CustomForm } from './forms/custom-form.tsx';
import type { FormProps } from './forms/form-props.ts';
import { UploadForm } from './forms/upload-form.tsx';
import type { Round } from './use-round.ts';

interface Props {
  readonly round: Round;
  readonly conversationId: string;
  /** Whether the outputs are being sent. */
  readonly isSending: boolean;
}

/** Tools with a form. Any other tool has a field for JSON. */
const FORMS: Readonly<Record<ClientToolName, ComponentType<FormProps>>> = {
  ask_user: AskUserForm,
  upload_document: UploadForm,
};

/** The forms of all pending calls. Their outputs are sent together when all are complete. */
export function PendingRound({ round, conversationId, isSending }: Props) {
  const { calls, outputs, rejections } = round;
  const missing = calls.filter(({ callId }) => !outputs.has(callId));
  const isLast = missing.length <= 1;
  return (
    <div className="flex flex-col gap-4">
      {calls.length > 1 && <Missing total={calls.length} missing={missing} />}
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
            rejection={rejections.get(callId)}
            submit={isLast ? 'Send' : 'Save and continue'}
            isSending={isSending || outputs.has(callId)}
            takesFocus={callId === missing[0]?.callId}
            onOutput={(output) => round.setOutput(callId, output)}
          />
        );
      })}
    </div>
  );
}

function Missing({ total, missing }: { readonly total: number; readonly missing: readonly PendingToolCall[] }) {
  const names = missing.map(({ name }) => titleOf(name)).join(', ');
  return (
    <p role="status" className="text-sm text-muted">
      {missing.length === 0
        ? `All ${total} answers are complete.`
        : `${total - missing.length} of ${total} answers are complete. Still missing: ${names}. All answers are sent together.`}
    </p>
  );
}

interface SavedProps {
  readonly call: PendingToolCall;
  readonly onChange: (() => void) | undefined;
  readonly isSending: boolean;
}

function SavedOutput({ call, onChange, isSending }: SavedProps) {
  return (
    <div className="flex min-h-14 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2">
      {isSending ? <Spinner /> : <Icon name="check" className="size-5 text-ok" />}
      <p className="min-w-0 flex-1">
        <span className="font-medium">{titleOf(call.name)}</span>{' '}
        <span className="text-muted">{isSending ? 'Sending…' : 'Saved'}</span>
      </p>
      {onChange && (
        <Button small onClick={onChange} aria-label={`Change ${titleOf(call.name)}`}>
          Change
        </Button>
      )}
    </div>
  );
}
