import type { UseAgent } from '../../sdk/react/index.ts';
import { errorText } from '../hosted/error-text.ts';
import { StopNotice } from '../hosted/stop-notice.tsx';
import type { Stop } from '../hosted/use-stop.ts';
import { LiveMessage } from '../timeline/live-message.tsx';
import { Notice } from '../ui/notice.tsx';
import { PendingRound } from './pending-round.tsx';
import { isFormError, RunNotice } from './run-notice.tsx';
import type { Round } from './use-round.ts';
import type { Turns } from './use-turns.ts';
import { WorkStatus } from './work-status.tsx';

interface Props {
  readonly agent: UseAgent;
  readonly round: Round;
  readonly turns: Turns;
  readonly stop: Stop;
  readonly isReading: boolean;
}

/** Below the timeline: the text that is being written, pending calls, the activity of the assistant and errors. */
export function CurrentActivity({ agent, round, turns, stop, isReading }: Props) {
  const { conversationId, error, live, status } = agent;
  const isComplete = round.calls.length > 0 && round.calls.every(({ callId }) => round.outputs.has(callId));
  const onContinue = () => {
    round.clearNote();
    turns.resume();
  };
  return (
    <>
      <LiveMessage live={live} />
      {round.note && <Notice>{round.note}</Notice>}
      {conversationId && round.calls.length > 0 && (
        <PendingRound {...{ round, conversationId }} isSending={isComplete && status === 'running'} />
      )}
      <WorkStatus {...{ agent, isReading }} pending={round.calls.length} />
      <StopNotice error={stop.error} />
      {turns.rejection && <Notice tone="warn">{errorText(turns.rejection)}</Notice>}
      {error && !isFormError(error) && (
        <RunNotice {...{ error, onContinue }} onRetry={isComplete ? round.retry : undefined} />
      )}
    </>
  );
}
