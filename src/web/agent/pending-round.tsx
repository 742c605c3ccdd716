import type { PendingToolCall } from '../../sdk/index.ts';
import { titleOf } from '../timeline/words.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ToolForm } from './tool-form.tsx';
import type { Round } from './use-round.ts';

interface Props {
  readonly round: Round;
  readonly conversationId: string;
  /** Whether it is on its way to the service. */
  readonly isSending: boolean;
}

/** The forms of all calls that wait together. They are sent together too, once none is missing. */
export function PendingRound({ round, conversationId, isSending }: Props) {
  const { calls, given, refusals } = round;
  const missing = calls.filter(({ callId }) => !given.has(callId));
  const isLast = missing.length <= 1;
  return (
    <div className="flex flex-col gap-4">
      {calls.length > 1 && <Missing total={calls.length} missing={missing} />}
      {calls.map((call) => {
        const { callId } = call;
        if (calls.length > 1 && given.has(callId)) {
          const onChange = round.canTakeBack ? () => round.takeBack(callId) : undefined;
          return <GivenCard key={callId} call={call} onChange={onChange} isSending={isSending} />;
        }
        return (
          <ToolForm
            key={callId}
            call={call}
            place={{ conversationId, callId }}
            refusal={refusals.get(callId)}
            submit={isLast ? 'Send' : 'Save and go to the next'}
            isSending={isSending || given.has(callId)}
            takesFocus={callId === missing[0]?.callId}
            onGive={(output) => round.give(callId, output)}
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
        ? `All ${total} answers are there.`
        : `The assistant needs ${total} answers; ${total - missing.length} of them ${total - missing.length === 1 ? 'is' : 'are'} there. Still missing: ${names}. They are sent together.`}
    </p>
  );
}

interface GivenProps {
  readonly call: PendingToolCall;
  readonly onChange: (() => void) | undefined;
  readonly isSending: boolean;
}

function GivenCard({ call, onChange, isSending }: GivenProps) {
  return (
    <div className="flex min-h-14 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2">
      {isSending ? <Spinner /> : <Icon name="check" className="size-5 text-ok" />}
      <p className="min-w-0 flex-1">
        <span className="font-medium">{titleOf(call.name)}</span>{' '}
        <span className="text-muted">{isSending ? 'is being sent' : 'is saved'}</span>
      </p>
      {onChange && (
        <Button small onClick={onChange} aria-label={`Change ${titleOf(call.name)}`}>
          Change
        </Button>
      )}
    </div>
  );
}
