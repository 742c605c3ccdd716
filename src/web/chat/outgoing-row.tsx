import { wordsOf } from '../hosted/error-words.ts';
import { isOutside, VISIT_OVER, VisitOver } from '../hosted/visit-over.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { LiveRow, MessageRow } from './message-row.tsx';
import { readable } from './structured.ts';
import type { Thread } from './thread.ts';
import { isUncertain, type Outgoing } from './thread-state.ts';

interface Props {
  readonly message: Outgoing;
  /** The reply as it is written. */
  readonly live: string | null;
  readonly thread: Thread;
}

const CONTINUE = [{ type: 'text', text: 'Continue.' }] as const;

/** A message that is on its way or has not come to a good end, and what can be done about it. */
export function OutgoingRow({ message, live, thread }: Props) {
  const { content, phase, shown, stored } = message;
  const reply = readable({ type: 'text', text: shown });
  return (
    <>
      {!stored && <MessageRow by="user" content={content} />}
      {phase === 'sending' && <LiveRow text={live ?? ''} />}
      {phase !== 'sending' && !stored && shown && <MessageRow by="assistant" content={[reply]} />}
      {(phase === 'stopped' || phase === 'stopping') && <p className="text-sm text-muted">You stopped this reply.</p>}
      {phase === 'failed' && <Failure message={message} thread={thread} />}
    </>
  );
}

function Failure({ message, thread }: Omit<Props, 'live'>) {
  const { error, shown, stored } = message;
  if (!error || error.code === 'conversation_completed') return null;
  if (isOutside(error)) {
    return (
      <Notice tone="warn" action={<VisitOver />}>
        {VISIT_OVER}
      </Notice>
    );
  }
  const wasCut = shown !== '';
  return (
    <Notice
      tone="danger"
      action={
        <div className="flex flex-wrap gap-2">
          {wasCut && stored && (
            <Button small onClick={() => thread.send(CONTINUE)}>
              Continue
            </Button>
          )}
          <Button small onClick={() => thread.retry(message)}>
            <Icon name="retry" className="size-4" /> Retry
          </Button>
          {!stored && (
            <Button small look="quiet" onClick={() => thread.discard(message)}>
              Discard
            </Button>
          )}
        </div>
      }
    >
      {wordsOf(error)}
      {wasCut && ` ${isUncertain(error) ? 'The reply may not be complete.' : 'The reply is not complete.'}`}
    </Notice>
  );
}
