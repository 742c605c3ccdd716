import { ServiceError } from '../../../contract/errors.ts';
import { NO_USAGE } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { heldClaim, underClaim } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { metaLabel } from '../../conversations/conditions.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { titleOf } from '../../conversations/title.ts';
import type { TurnInput } from '../../conversations/turn-input.ts';
import { unlessDeleted } from '../../dependants.ts';
import { triggerUsed } from '../../events/lifecycle.ts';
import { type AppliedTrigger, claimLost, requireNoTrigger } from '../../triggers/apply.ts';
import { historyLimitOf } from '../../workflows/config.ts';
import { deploymentNotFound } from '../../workflows/deployments.ts';
import { attemptsLeft } from '../limits/attempts.ts';
import { requireBudget } from '../limits/budgets.ts';
import { countStart, withinRunLimit } from '../limits/turn-limits.ts';
import type { AcceptedTurn } from '../turn.ts';
import { acceptContinue } from './accept-continue.ts';
import { type NewTurn, recordTurn, runAndMessage } from './turn-rows.ts';

/** The input of a turn, with what its trigger supplies. */
type AcceptedInput = TurnInput & AppliedTrigger;

/** How a turn runs. `canPause`: it is a v2 turn. */
export type AcceptOptions = Pick<NewTurn, 'deployment' | 'tools' | 'canPause' | 'background' | 'gone'>;

/**
 * Stores the user's message and starts a run for it, in one statement.
 * @throws {ServiceError} not_found, conversation_completed, client_action_required, run_in_progress,
 * trigger_already_used, trigger_expired, budget_reached; with startIfMissing, trigger_required, rate_limited and invalid_request
 */
export async function acceptTurn(ctx: Context, input: AcceptedInput, options: AcceptOptions): Promise<AcceptedTurn> {
  const { conversationId, startIfMissing, triggerId } = input;
  const turn = newTurn(ctx, input, options);
  const asked = { conversationId: conversationId ?? null, content: input.content, mayTry: triggerId == null };
  await requireBudget(ctx, { ...turn, ...asked });
  if (conversationId && !startIfMissing) return acceptContinue(ctx, turn, conversationId);
  if (conversationId) return acceptOrStart(ctx, turn, input, conversationId);
  const started = await acceptStart(ctx, turn, input, ctx.newId());
  if (started) return started;
  throw triggerId ? await claimLost(ctx, triggerId) : new Error('a start that claims nothing was lost');
}

/** A turn that has not been accepted yet. */
export function newTurn(
  ctx: Context,
  { content, historyLimit, triggerId }: Pick<AcceptedInput, 'content' | 'historyLimit' | 'triggerId'>,
  options: AcceptOptions,
): NewTurn {
  const { config } = options.deployment;
  const runId = ctx.newId();
  return {
    ...options,
    runId,
    fence: 1,
    step: 0,
    resumed: false,
    usageBefore: NO_USAGE,
    acceptedAt: ctx.now(),
    acceptedMs: ctx.services.process.monotonicMs(),
    message: { runId, step: 0, kind: 'message', role: 'user', content },
    model: config.model ?? ctx.services.settings.defaultModel,
    historyLimit: historyLimit ?? historyLimitOf(config),
    triggerId,
    attemptsLeft: attemptsLeft(config, options.background),
  };
}

/** What a new conversation keeps of the input. */
type Start = Pick<AcceptedInput, 'variables' | 'meta'>;

/** Continues the conversation whose ID the client chose, or starts it. */
async function acceptOrStart(ctx: Context, turn: NewTurn, input: Start, id: string): Promise<AcceptedTurn> {
  const accept = () => acceptContinue(ctx, turn, id);
  try {
    return await accept();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
  }
  requireNoTrigger(turn.deployment, turn);
  await countStart(ctx, turn.deployment);
  // Another request can start it meanwhile. An ID of another environment or deployment is still not found.
  return (await acceptStart(ctx, turn, input, id)) ?? accept();
}

/** Undefined if another start claimed the trigger, or has the same ID. */
async function acceptStart(
  ctx: Context,
  turn: NewTurn,
  { variables, meta }: Start,
  id: string,
): Promise<AcceptedTurn | undefined> {
  const { triggerId, deployment, acceptedAt } = turn;
  const conversation = {
    id,
    name: titleOf(turn.message.content),
    variables,
    createdAt: acceptedAt,
    contextTokens: 0,
    countedPrompt: null,
  };
  const labels = Object.entries(meta ?? {}).map(([key, value]) => metaLabel(key, value));
  const store = (sql: Sql) => sql.rows<{ id: bigint }>`
    WITH ${heldClaim(ctx.request.claim)}, ${triggerId ? claimedTrigger(ctx, turn, id) : UNCLAIMED}, locked AS (
      INSERT INTO conversation (id, environment_id, deployment_id, end_user, name, variables, meta, meta_labels,
                                message_count, latest_run_id, created_at, updated_at)
      SELECT ${id}::uuid, ${ctx.environment.id}::uuid, ${deployment.id}::uuid,
             ${ctx.caller.kind === 'end_user' ? ctx.caller.endUser : null}, ${conversation.name}, ${JSON.stringify(variables)}::jsonb,
             ${JSON.stringify(meta ?? {})}::jsonb, ${labels}::text[], 1, ${turn.runId}::uuid,
             ${acceptedAt}, ${acceptedAt}
      FROM claimed, held
      ON CONFLICT DO NOTHING
      RETURNING id, environment_id, status, handling
    ), ${runAndMessage(ctx, turn, Prisma.sql`true`)}${recordTurn(ctx, id, turn.runId)}
    SELECT id FROM message`;
  const [message] = await unlessDeleted(deploymentNotFound, () =>
    underClaim(ctx.request.claim, () => withinRunLimit(ctx, turn.background, store)),
  );
  if (!message) return undefined;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, id);
  return { ...turn, conversation, entries: [{ ...turn.message, id: message.id }] };
}

/** A start without a trigger claims nothing. */
const UNCLAIMED = Prisma.sql`claimed AS (SELECT 1)`;

/** Only one of several racing starts finds the trigger unused. `claimed` is empty for all others. */
function claimedTrigger(ctx: Context, { triggerId, deployment }: NewTurn, conversationId: string): Prisma.Sql {
  const deploymentId = deployment.id;
  return Prisma.sql`claimed AS (
      UPDATE trigger SET conversation_id = ${conversationId}::uuid
      WHERE id = ${triggerId} AND environment_id = ${ctx.environment.id}::uuid AND conversation_id IS NULL
        AND (expires_at IS NULL OR expires_at > ${ctx.now()})
      RETURNING id, environment_id
    ), ${triggerUsed({ conversationId, deploymentId, at: ctx.now() })}`;
}
