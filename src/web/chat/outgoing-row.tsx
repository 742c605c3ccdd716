import { errorText } from '../hosted/error-text.ts';
import { isSessionMissing, SESSION_MISSING, SessionMissing } from '../hosted/session-missing.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { LiveRow, MessageRow } from './message-row.tsx';
import { formatted } from './structured-reply.ts';
import type { Thread } from './thread.ts';
import { isUncertain, type Outgoing } from './thread-state.ts';

interface Props {
  readonly message: Outgoing;
  /** The text of the streaming reply. */
  readonly live: string | null;
  readonly thread: Thread;
}

const CONTINUE = [{ type: 'text', text: 'Continue.' }] as const;

/** A message that is sending or failed, with its actions. */
export function OutgoingRow({ message, live, thread }: Props) {
  const { content, phase, reply, stored } = message;
  const isWriting = phase === 'sending' || (phase === 'stopping' && live !== null);
  return (
    <>
      {!stored && <MessageRow by="user" content={content} />}
      {isWriting && <LiveRow text={live ?? ''} />}
      {!isWriting && !stored && reply && (
        <MessageRow by="assistant" content={[formatted({ type: 'text', text: reply })]} />
      )}
      {(phase === 'stopped' || phase === 'stopping') && <p className="text-sm text-muted">You stopped this reply.</p>}
      {phase === 'failed' && <Failure message={message} thread={thread} />}
    </>
  );
}

function Failure({ message, thread }: Omit<Props, 'live'>) {
  const { error, reply, stored } = message;
  if (!error || error.code === 'conversation_completed') return null;
  if (isSessionMissing(error)) {
    return (
      <Notice tone="warn" action={<SessionMissing />}>
        {SESSION_MISSING}
      </Notice>
    );
  }
  const isPartial = reply !== '';
  // The service has stored this message and its reply, so sending it again would ask twice.
  const isReplied = stored && isPartial && isUncertain(error);
  return (
    <Notice
      tone="danger"
      action={
        <div className="flex flex-wrap gap-2">
          {isPartial && stored && (
            <Button small onClick={() => thread.send(CONTINUE)}>
              Continue
            </Button>
          )}
          {!isReplied && (
            <Button small onClick={() => thread.retry(message)}>
              <Icon name="retry" className="size-4" /> Retry
            </Button>
          )}
          {!stored && (
            <Button small look="quiet" onClick={() => thread.discard(message)}>
              Discard
            </Button>
          )}
        </div>
      }
    >
      {errorText(error)}
      {isPartial && ` ${isUncertain(error) ? 'The reply may not be complete.' : 'The reply is not complete.'}`}
    </Notice>
  );
}
