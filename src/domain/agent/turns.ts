import type { Context } from '../context.ts';
import { deploymentFor } from '../conversations/conversation-version.ts';
import { TURN_RULES } from '../conversations/turn-input.ts';
import { requireUsableFiles } from '../files/use.ts';
import { applyTrigger, parseMessage } from '../triggers/apply.ts';
import { type PublishedDeployment, publishedDeployment } from '../workflows/deployments.ts';
import { acceptTurn } from './accept/accept.ts';
import { parseCapabilities, parseResume } from './accept/agent-input.ts';
import { resumeTurn } from './accept/resume.ts';
import { countTurn } from './limits/turn-limits.ts';
import { handledBefore } from './rows/handled-turn.ts';
import { storedTurn } from './rows/turn-replay.ts';
import { startedTurn, startTurn, type TurnOptions } from './run/background.ts';
import { roundOutcome } from './run/round-outcome.ts';
import { runToOutcome } from './run/run-to-outcome.ts';
import { offeredTools, serverTools } from './tools/tools.ts';
import type { AcceptedTurn, FinishedTurn, RecordedTurn, StartedTurn, TurnResult } from './turn.ts';

type Input = Readonly<Record<string, unknown>>;

/** Runs one v1 turn: starts a conversation, or continues the one in the input. Offers no client tools. */
export async function sendMessage(
  ctx: Context,
  deploymentId: string,
  input: Input,
  { background = false }: TurnOptions = {},
): Promise<FinishedTurn | StartedTurn> {
  const started = background ? await startedBefore(ctx) : undefined;
  if (started) return started;
  const existing = await existingTurn(ctx, deploymentId);
  const result = existing ?? (await newMessageTurn(ctx, deploymentId, input, background));
  if (result.outcome === 'paused') throw new Error('an ordinary turn offers nothing that it could pause for');
  return result;
}

async function newMessageTurn(ctx: Context, deploymentId: string, input: Input, background: boolean) {
  const turn = await acceptMessage(ctx, deploymentId, input, { background });
  return background ? startTurn(ctx, turn) : runToOutcome(ctx, turn);
}

/** The response to a retry of a request that does not wait. */
async function startedBefore(ctx: Context): Promise<StartedTurn | undefined> {
  const effect = ctx.request.claim?.effect as RecordedTurn | null | undefined;
  if (!effect) return undefined;
  return startedTurn(ctx, effect, (await handledBefore(ctx, effect))?.handledBy);
}

/** Accepts a v1 message. The caller then runs the turn. */
export async function acceptMessage(
  ctx: Context,
  deploymentId: string,
  input: Input,
  { gone, background = false }: TurnOptions & { readonly gone?: AbortSignal } = {},
): Promise<AcceptedTurn> {
  ctx.services.process.runs.requireOpen();
  const published = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, published, input.conversationId);
  const parsed = parseMessage(TURN_RULES, input);
  const deployment = await deploymentFor(ctx, published, parsed.conversationId);
  await requireUsableFiles(ctx, parsed);
  const applied = await applyTrigger(ctx, deployment, parsed);
  const tools = await serverTools(ctx, deployment);
  const options = { deployment, tools, canPause: false, background, gone: stopsWith(deployment, gone) };
  return acceptTurn(ctx, { ...parsed, ...applied }, options);
}

/** A message whose reply continues without its reader is accepted without it, too. */
function stopsWith({ onReaderGone }: PublishedDeployment, gone: AbortSignal | undefined): AbortSignal | undefined {
  return onReaderGone === 'stop' ? gone : undefined;
}

/** Runs one v2 turn: starts, continues or resumes a durable agent conversation. */
export async function runAgentTurn(
  ctx: Context,
  deploymentId: string,
  input: Input,
  { background = false }: TurnOptions = {},
): Promise<TurnResult | StartedTurn> {
  const started = background ? await startedBefore(ctx) : undefined;
  if (started) return started;
  const recorded = await existingTurn(ctx, deploymentId);
  if (recorded) return recorded;
  ctx.services.process.runs.requireOpen();
  const published = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, published, input.conversationId);
  if (input.toolResults != null) {
    const resume = parseResume(input);
    const deployment = await deploymentFor(ctx, published, resume.conversationId);
    // If the request also names a trigger, that trigger must belong to the conversation.
    await applyTrigger(ctx, deployment, resume);
    return resumeTurn(ctx, deployment, resume, background);
  }
  const capabilities = parseCapabilities(input);
  const parsed = parseMessage(TURN_RULES, input);
  const deployment = await deploymentFor(ctx, published, parsed.conversationId);
  await requireUsableFiles(ctx, parsed);
  const tools = await offeredTools(ctx, deployment, capabilities);
  const applied = await applyTrigger(ctx, deployment, parsed);
  const options = { deployment, tools, canPause: true, background };
  const turn = await acceptTurn(ctx, { ...parsed, ...applied }, options);
  return background ? startTurn(ctx, turn) : runToOutcome(ctx, turn);
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
  const known = stored ?? (await handledBefore(ctx, recorded));
  if (known) return known;
  const { conversationId, runId, step = 0 } = recorded;
  const { config } = await deploymentFor(ctx, await publishedDeployment(ctx, deploymentId), conversationId);
  return roundOutcome(ctx, { conversationId, config }, { runId, step });
}
