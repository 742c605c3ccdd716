import type { UseAgent } from '../../sdk/react/index.ts';
import { PendingRound } from '../calls/pending-round.tsx';
import { isComplete, isFormError, type Round } from '../calls/use-round.ts';
import { StopNotice } from '../hosted/stop-notice.tsx';
import type { Stop } from '../hosted/use-stop.ts';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { LiveMessage } from '../timeline/live-message.tsx';
import { Notice } from '../ui/notice.tsx';
import { RunNotice } from './run-notice.tsx';
import type { Skip } from './use-skip.ts';
import type { Turns } from './use-turns.ts';
import { WorkStatus } from './work-status.tsx';

interface Props {
  readonly agent: UseAgent;
  readonly round: Round;
  readonly turns: Turns;
  readonly skip: Skip;
  readonly stop: Stop;
  readonly isReading: boolean;
}

/** Below the timeline: the text that is being written, pending calls, the activity of the assistant and errors. */
export function CurrentActivity({ agent, round, turns, skip, stop, isReading }: Props) {
  const { conversationId, error, live, status } = agent;
  const isReady = isComplete(round);
  const onContinue = () => {
    round.clearNote();
    turns.resume();
  };
  return (
    <>
      <LiveMessage live={live} />
      {round.note && <Notice>{round.note}</Notice>}
      {conversationId && round.calls.length > 0 && (
        <PendingRound {...{ round, conversationId }} viewer="client" isSending={isReady && status === 'running'} />
      )}
      <WorkStatus {...{ agent, isReading }} pending={round.calls.length} />
      <StopNotice error={stop.error} />
      {skip.error && <Notice tone="danger">{`${texts().agent.notSkipped} ${errorText(skip.error)}`}</Notice>}
      {turns.rejection && <Notice tone="warn">{errorText(turns.rejection)}</Notice>}
      {error && !isFormError(error) && (
        <RunNotice {...{ error, onContinue }} onRetry={isReady ? round.retry : undefined} />
      )}
    </>
  );
}
