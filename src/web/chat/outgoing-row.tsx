import { isSessionMissing, SessionMissing, sessionMissing } from '../hosted/session-missing.tsx';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
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
  /** A person answers the message later, so that no reply is being written. */
  readonly isForPerson?: boolean;
}

const CONTINUE = [{ type: 'text', text: 'Continue.' }] as const;

/** A message that is sending or failed, with its actions. */
export function OutgoingRow({ message, live, thread, isForPerson = false }: Props) {
  const { content, phase, reply, stored } = message;
  const isWriting = phase === 'sending' || (phase === 'stopping' && live !== null);
  return (
    <>
      {!stored && <MessageRow by="user" content={content} />}
      {isWriting && (live || !isForPerson) && <LiveRow text={live ?? ''} />}
      {!isWriting && !stored && reply && (
        <MessageRow by="assistant" content={[formatted({ type: 'text', text: reply })]} />
      )}
      {(phase === 'stopped' || phase === 'stopping') && (
        <p className="text-sm text-muted">{texts().turn.stoppedByYou}</p>
      )}
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
        {sessionMissing()}
      </Notice>
    );
  }
  const t = texts().turn;
  const isPartial = reply !== '';
  return (
    <Notice
      tone="danger"
      action={
        <div className="flex flex-wrap gap-2">
          {stored ? (
            // The service has this message. To send it again would show and ask it twice.
            <Button small onClick={() => thread.send(CONTINUE)}>
              {t.continue}
            </Button>
          ) : (
            <>
              <Button small onClick={() => thread.retry(message)}>
                <Icon name="retry" className="size-4" /> {t.retry}
              </Button>
              <Button small look="quiet" onClick={() => thread.discard(message)}>
                {t.discard}
              </Button>
            </>
          )}
        </div>
      }
    >
      {errorText(error)}
      {isPartial && ` ${isUncertain(error) ? t.maybeIncomplete : t.incomplete}`}
    </Notice>
  );
}
