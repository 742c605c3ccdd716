import { usageSince } from '../../../contract/token-usage.ts';
import type { Context } from '../../context.ts';
import { type CallEntry, isCall, recentTimeline } from '../../conversations/timeline.ts';
import { versionToRun } from '../../workflows/deployments.ts';
import { isCompletion } from '../tools/calls.ts';
import type { AcceptedTurn, TurnEnd } from '../turn.ts';
import type { ClaimedRun } from './claim-runs.ts';

/** Reads a claimed run's turn as the last process left it: the next step to run is the one after its last stored step. */
export async function takenTurn(ctx: Context, run: ClaimedRun): Promise<AcceptedTurn> {
  const { conversation } = run;
  const deployment = await versionToRun(ctx, run.deploymentId, run.workflowVersion);
  const entries = await recentTimeline(ctx, conversation.id, run.historyLimit);
  const calls = entries.filter(isCall).filter(({ runId }) => runId === run.id);
  return {
    runId: run.id,
    fence: run.fence,
    step: run.pausedStep,
    resumed: run.resultsAccepted,
    usageBefore: run.pausedUsage,
    acceptedAt: run.acceptedAt,
    acceptedMs: ctx.services.process.monotonicMs() - run.ageMs,
    conversation: { ...conversation, createdAt: run.conversationCreatedAt },
    entries,
    deployment,
    model: run.model,
    historyLimit: run.historyLimit,
    tools: run.tools,
    triggerId: run.triggerId,
    attemptsLeft: run.attemptsLeft,
    canPause: run.agent,
    end: endSoFar(run, calls),
  };
}

/** What a turn would end with if the model replied now. */
function endSoFar(run: ClaimedRun, calls: readonly CallEntry[]): TurnEnd {
  const ofTurn = calls.filter(({ step, kind }) => step > run.pausedStep && kind !== 'client_tool');
  const last = ofTurn.at(-1);
  return {
    step: run.step,
    usage: usageSince(run.usage, run.pausedUsage),
    openCompletions: ofTurn.some((call) => isCompletion(call) && call.status === 'running'),
    // A call that was rejected looks like one that failed. Then the conversation stays active, which loses nothing.
    completion: last && isCompletion(last) && last.status === 'running' ? last.callId : null,
  };
}
