import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { heldClaim, underClaim } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { metaLabel } from '../../conversations/conditions.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { titleOf } from '../../conversations/title.ts';
import { triggerUsed } from '../../events/lifecycle.ts';
import { claimLost, requireNoTrigger } from '../../triggers/apply.ts';
import { attemptsLeft } from '../queue/attempts.ts';
import { NO_USAGE } from '../token-usage.ts';
import type { AcceptedTurn } from '../turn.ts';
import { acceptContinue } from './accept-continue.ts';
import { countStart, withinRunLimit } from './turn-limits.ts';
import { type NewTurn, recordTurn, runAndMessage, storedMessage, type TurnRequest } from './turn-rows.ts';

/**
 * Stores the user's message and starts a run for it, in one statement.
 * @throws {ServiceError} not_found, conversation_completed, client_action_required, run_in_progress,
 * trigger_already_used, trigger_expired; with startIfMissing, trigger_required, rate_limited and invalid_request
 */
export async function acceptTurn(ctx: Context, request: TurnRequest): Promise<AcceptedTurn> {
  const { conversationId, startIfMissing } = request.input;
  const turn = newTurn(ctx, request);
  if (conversationId && startIfMissing) return acceptOrStart(ctx, request, turn, conversationId);
  if (conversationId) return acceptContinue(ctx, request, turn, conversationId);
  const started = await acceptStart(ctx, request, turn, ctx.newId());
  if (started) return started;
  throw turn.triggerId ? await claimLost(ctx, turn.triggerId) : new Error('a start that claims nothing was lost');
}

/** Continues the conversation whose ID the client chose, or starts it. */
async function acceptOrStart(ctx: Context, request: TurnRequest, turn: NewTurn, id: string): Promise<AcceptedTurn> {
  const accept = () => acceptContinue(ctx, request, turn, id);
  try {
    return await accept();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
  }
  requireNoTrigger(request.deployment, turn);
  await countStart(ctx, request.deployment);
  // Another request can start it meanwhile. An ID of another environment or deployment is still not found.
  return (await acceptStart(ctx, request, turn, id)) ?? accept();
}

/** Undefined if another start claimed the trigger, or has the same ID. */
async function acceptStart(
  ctx: Context,
  request: TurnRequest,
  turn: NewTurn,
  id: string,
): Promise<AcceptedTurn | undefined> {
  const { triggerId } = turn;
  const conversation = {
    id,
    name: titleOf(request.input.content),
    variables: request.input.variables,
    createdAt: turn.acceptedAt,
  };
  const meta = request.input.meta ?? {};
  const labels = Object.entries(meta).map(([key, value]) => metaLabel(key, value));
  const store = (sql: Sql) => sql.rows<{ id: bigint }>`
    WITH ${heldClaim(ctx.request.claim)}, ${triggerId ? claimedTrigger(ctx, request, conversation.id) : UNCLAIMED}, locked AS (
      INSERT INTO conversation (id, environment_id, deployment_id, end_user, name, variables, meta, meta_labels,
                                message_count, latest_run_id, created_at, updated_at)
      SELECT ${conversation.id}::uuid, ${ctx.environment.id}::uuid, ${request.deployment.id}::uuid,
             ${ctx.caller.kind === 'end_user' ? ctx.caller.endUser : null}, ${conversation.name}, ${JSON.stringify(conversation.variables)}::jsonb,
             ${JSON.stringify(meta)}::jsonb, ${labels}::text[], 1, ${turn.runId}::uuid,
             ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM claimed, held
      ON CONFLICT (id) DO NOTHING
      RETURNING id, environment_id, status
    ), ${runAndMessage(ctx, request, turn, Prisma.sql`true`)}${recordTurn(ctx, conversation.id, turn.runId)}
    SELECT id FROM message`;
  const [message] = await underClaim(ctx.request.claim, () => withinRunLimit(ctx, request.background, store));
  if (!message) return undefined;
  publishLifecycleChange(ctx.services.pubSub, ctx.environment.id, conversation.id);
  return { ...turn, conversation, entries: [storedMessage(request, turn, message.id)] };
}

/** A start without a trigger claims nothing. */
const UNCLAIMED = Prisma.sql`claimed AS (SELECT 1)`;

/** Only one of several racing starts finds the trigger unused. `claimed` is empty for all others (SPEC 3, WIRE 8). */
function claimedTrigger(ctx: Context, { input, deployment }: TurnRequest, conversationId: string): Prisma.Sql {
  const deploymentId = deployment.id;
  return Prisma.sql`claimed AS (
      UPDATE trigger SET conversation_id = ${conversationId}::uuid
      WHERE id = ${input.triggerId} AND environment_id = ${ctx.environment.id}::uuid AND conversation_id IS NULL
        AND (expires_at IS NULL OR expires_at > ${ctx.now()})
      RETURNING id, environment_id
    ), ${triggerUsed({ conversationId, deploymentId, at: ctx.now() })}`;
}

function newTurn(ctx: Context, { deployment, input, tools, background, agent }: TurnRequest): NewTurn {
  return {
    runId: ctx.newId(),
    fence: 1,
    step: 0,
    resumed: false,
    usageBefore: NO_USAGE,
    acceptedAt: ctx.now(),
    acceptedMs: ctx.services.monotonicMs(),
    deployment,
    model: deployment.config.model ?? ctx.services.defaultModel,
    historyLimit: input.historyLimit ?? deployment.config.historyLimit,
    tools,
    triggerId: input.triggerId,
    attemptsLeft: attemptsLeft(deployment.config, background),
    canPause: agent,
  };
}
