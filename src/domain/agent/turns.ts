import { loadActions } from '../actions/load-actions.ts';
import type { Context } from '../context.ts';
import { parseTurn } from '../conversations/turn-input.ts';
import { applyTrigger } from '../triggers/apply.ts';
import { type PublishedDeployment, publishedDeployment } from '../workflows/deployments.ts';
import { acceptTurn } from './accept/accept.ts';
import { agentOperation } from './accept/agent-input.ts';
import { resumeTurn } from './accept/resume.ts';
import { countTurn } from './accept/turn-limits.ts';
import { storedTurn } from './accept/turn-replay.ts';
import { startedTurn, startTurn, type TurnOptions } from './run/background.ts';
import { roundOutcome } from './run/round-outcome.ts';
import { runTurn } from './run/run-turn.ts';
import { offeredTools } from './tools/tools.ts';
import type { AcceptedTurn, FinishedTurn, RecordedTurn, StartedTurn, TurnResult } from './turn.ts';

type Input = Readonly<Record<string, unknown>>;

/** Runs one v1 turn (SPEC 4.4): starts a conversation, or continues the one in the input. Offers no client tools. */
export async function sendMessage(ctx: Context, deploymentId: string, input: Input): Promise<FinishedTurn> {
  const result =
    (await existingTurn(ctx, deploymentId)) ?? (await runTurn(ctx, await acceptMessage(ctx, deploymentId, input)));
  if (result.outcome === 'paused') throw new Error('an ordinary turn offers nothing that it could pause for');
  return result;
}

/** Accepts a v1 message. The caller then runs the turn. */
export async function acceptMessage(
  ctx: Context,
  deploymentId: string,
  input: Input,
  gone?: AbortSignal,
): Promise<AcceptedTurn> {
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, input.conversationId);
  const turn = parseTurn(input);
  const applied = await applyTrigger(ctx, deployment, turn);
  const tools = await loadActions(ctx, deployment);
  return acceptTurn(ctx, {
    deployment,
    input: { ...turn, ...applied },
    agent: false,
    tools,
    gone: stopsWith(deployment, gone),
  });
}

/** A message whose reply continues without its reader is accepted without it, too. */
function stopsWith({ onReaderGone }: PublishedDeployment, gone: AbortSignal | undefined): AbortSignal | undefined {
  return onReaderGone === 'stop' ? gone : undefined;
}

/** Runs one v2 turn (SPEC 4.1): starts, continues or resumes a durable agent conversation. */
export async function runAgentTurn(
  ctx: Context,
  deploymentId: string,
  input: Input,
  options: TurnOptions = {},
): Promise<TurnResult | StartedTurn> {
  const effect = ctx.request.claim?.effect as RecordedTurn | null | undefined;
  // A retry of a request that does not wait.
  if (options.background && effect) return startedTurn(ctx, effect);
  const recorded = await existingTurn(ctx, deploymentId);
  if (recorded) return recorded;
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, input.conversationId);
  const operation = agentOperation(input);
  if (operation.kind === 'resume') {
    // If the request also names a trigger, that trigger must belong to the conversation (SPEC 4.1 rule 2).
    await applyTrigger(ctx, deployment, operation.input);
    return resumeTurn(ctx, deployment, operation.input, options);
  }
  const tools = await offeredTools(ctx, deployment, operation.capabilities);
  const applied = await applyTrigger(ctx, deployment, operation.input);
  const turn = { ...operation.input, ...applied };
  const accepted = await acceptTurn(ctx, { deployment, input: turn, agent: true, tools });
  const run = () => runTurn(ctx, accepted);
  return options.background ? startTurn(ctx, accepted, run) : run();
}

/**
 * Returns the result of an earlier attempt with the same idempotency key. That attempt was accepted, and then its
 * process died or the conversation was deleted.
 * @throws {ServiceError} not_found if the conversation was deleted
 */
export async function existingTurn(ctx: Context, deploymentId: string): Promise<TurnResult | undefined> {
  // Only the acceptance of a turn writes the effect of requests to this deployment's turn operations.
  const recorded = ctx.request.claim?.effect as RecordedTurn | null | undefined;
  if (!recorded) return undefined;
  const stored = storedTurn(recorded);
  if (stored) return stored;
  const { config } = await publishedDeployment(ctx, deploymentId);
  return roundOutcome(
    ctx,
    { conversationId: recorded.conversationId, config },
    { runId: recorded.runId, step: recorded.step ?? 0 },
  );
}
