import { offeredActions } from '../actions/offered.ts';
import type { Context } from '../context.ts';
import { parseTurn } from '../conversations/turn-input.ts';
import { prime } from '../triggers/prime.ts';
import { publishedDeployment } from '../workflows/deployments.ts';
import { acceptTurn } from './accept.ts';
import { agentOperation } from './agent-input.ts';
import { resumeTurn } from './resume.ts';
import { roundOutcome } from './round-outcome.ts';
import { runTurn } from './run-turn.ts';
import { offeredTools } from './tools.ts';
import type { AcceptedTurn, FinishedTurn, MadeTurn, TurnResult } from './turn.ts';
import { countTurn } from './turn-limits.ts';

type Input = Readonly<Record<string, unknown>>;

/** One v1 turn (SPEC 4.4): starts a conversation, or continues the one that is named. Offers no client tools. */
export async function sendMessage(ctx: Context, deploymentId: string, input: Input): Promise<FinishedTurn> {
  const result =
    (await madeBefore(ctx, deploymentId)) ?? (await runTurn(ctx, await acceptMessage(ctx, deploymentId, input)));
  if (result.outcome === 'paused') throw new Error('an ordinary turn offers nothing that it could pause for');
  return result;
}

/** Takes a v1 message for a new run, which the caller then works. */
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
  const primed = await prime(ctx, deployment, turn);
  const tools = await offeredActions(ctx, deployment);
  return acceptTurn(ctx, { deployment, input: { ...turn, ...primed }, agent: false, tools, gone });
}

/** One v2 turn (SPEC 4.1): starts, continues or resumes a durable agent conversation. */
export async function runAgentTurn(ctx: Context, deploymentId: string, input: Input): Promise<TurnResult> {
  const made = await madeBefore(ctx, deploymentId);
  if (made) return made;
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, input.conversationId);
  const operation = agentOperation(input);
  if (operation.kind === 'resume') {
    // Named beside the conversation, a trigger must be the one that is linked to it (SPEC 4.1 rule 2).
    await prime(ctx, deployment, operation.input);
    return resumeTurn(ctx, deployment, operation.input);
  }
  const tools = await offeredTools(ctx, deployment, operation.capabilities);
  const primed = await prime(ctx, deployment, operation.input);
  const turn = { ...operation.input, ...primed };
  return runTurn(ctx, await acceptTurn(ctx, { deployment, input: turn, agent: true, tools }));
}

/**
 * What this request came to under its idempotency key, where an earlier attempt was accepted: its process died, or the
 * conversation was deleted.
 * @throws {ServiceError} not_found where it was deleted
 */
export async function madeBefore(ctx: Context, deploymentId: string): Promise<TurnResult | undefined> {
  // Written by the acceptance of a turn, and by nothing else that is asked of this deployment's turns.
  const made = ctx.request.claim?.effect as MadeTurn | null | undefined;
  if (!made) return undefined;
  const { config } = await publishedDeployment(ctx, deploymentId);
  return roundOutcome(
    ctx,
    { conversationId: made.conversationId, config },
    { runId: made.runId, step: made.step ?? 0 },
  );
}
