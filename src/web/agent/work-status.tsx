import type { AgentState } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Spinner } from '../ui/button.tsx';

interface Props {
  readonly agent: Pick<AgentState, 'finishReason' | 'handling' | 'history' | 'live' | 'runStatus' | 'status'>;
  /** Whether the trigger of a link is loading. */
  readonly isReading: boolean;
  /** The number of pending calls. */
  readonly pending: number;
}

/** The activity of the assistant. Always rendered, so that screen readers announce each change. */
export function WorkStatus(props: Props) {
  const { text, look } = activityOf(props);
  return (
    // Without visible text it takes no space, so that the conversation does not move when a reply ends.
    <div role="status" className={`relative text-muted ${look === 'hidden' ? '-mt-4' : ''}`}>
      {look === 'busy' && (
        <p className="flex items-center gap-2 py-1">
          <Spinner /> {text}
        </p>
      )}
      {look === 'plain' && <p className="text-sm">{text}</p>}
      {look === 'hidden' && text && <p className="sr-only">{text}</p>}
    </div>
  );
}

interface Activity {
  readonly text?: string;
  readonly look: 'busy' | 'plain' | 'hidden';
}

function activityOf({ agent, isReading, pending }: Props): Activity {
  const { handling, live, status } = agent;
  const t = texts();
  if (isReading || status === 'loading') return { text: t.page.loadingConversation, look: 'busy' };
  // The words appear above.
  if (status === 'running' && live?.text) return { text: t.turn.writing, look: 'hidden' };
  // A message for a person gets no reply now.
  if (status === 'running' && handling) return { look: 'hidden' };
  if (status === 'running') return { text: t.turn.working, look: 'busy' };
  if (pending > 0) return { text: t.turn.waiting, look: 'hidden' };
  const ending = status === 'success' ? endingOf(agent) : undefined;
  return ending === undefined ? { look: 'hidden' } : { text: ending, look: 'plain' };
}

/** What the user should know of the latest reply. Undefined for an ordinary reply. */
function endingOf({ finishReason, handling, history, runStatus }: Props['agent']): string | undefined {
  const t = texts().turn;
  if (finishReason === 'stopped') return t.stopped;
  if (finishReason === 'length') return t.tooLong;
  if (finishReason === 'content_filter') return t.filtered;
  // The assistant sends no reply to a message for a person.
  const last = history.findLast(({ type }) => type === 'message' || type === 'handling');
  const isEmpty = runStatus === 'completed' && !handling && last?.type === 'message' && last.role === 'user';
  return isEmpty ? t.emptyReply : undefined;
}
