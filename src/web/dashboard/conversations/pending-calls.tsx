import type { UseAgent } from '../../../sdk/react/index.ts';
import { PendingRound } from '../../calls/pending-round.tsx';
import { isComplete, isFormError, type Round } from '../../calls/use-round.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StopWaitingTurn } from './stop-turn.tsx';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly agent: UseAgent;
  readonly round: Round;
  readonly takesFocus: boolean;
}

/** The forms of a conversation's waiting calls. A member answers them, even if the client does not return. */
export function PendingCalls({ id, agent, round, takesFocus }: Props) {
  const { error, status } = agent;
  const isReady = isComplete(round);
  return (
    <div className="flex flex-col gap-4">
      {round.note && <Notice>{round.note}</Notice>}
      {round.calls.length > 0 && (
        <>
          <PendingRound
            {...{ round, takesFocus }}
            conversationId={id}
            viewer="member"
            isSending={isReady && status === 'running'}
          />
          {error && !isFormError(error) && (
            <Notice tone="danger" action={isReady && <Button onClick={round.retry}>Try again</Button>}>
              {error.message}
            </Notice>
          )}
          <StopWaitingTurn id={id} />
        </>
      )}
    </div>
  );
}
