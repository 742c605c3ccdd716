import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { metaLabel } from '../../conversations/conditions.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { titleOf } from '../../conversations/title.ts';
import { triggerUsed } from '../../events/lifecycle.ts';
import { claimLost } from '../../triggers/apply.ts';
import { attemptsLeft } from '../queue/attempts.ts';
import { NO_USAGE } from '../token-usage.ts';
import type { AcceptedTurn } from '../turn.ts';
import { acceptContinue } from './accept-continue.ts';
import { withinRunLimit } from './turn-limits.ts';
import { type NewTurn, recordTurn, runAndMessage, storedMessage, type TurnRequest } from './turn-rows.ts';

/**
 * Stores the user's message and starts a run for it, in one statement.
 * @throws {ServiceError} not_found, conversation_completed, client_action_required, run_in_progress,
 * trigger_already_used, trigger_expired
 */
export function acceptTurn(ctx: Context, request: TurnRequest): Promise<AcceptedTurn> {
  const { conversationId } = request.input;
  const turn = newTurn(ctx, request);
  return conversationId ? acceptContinue(ctx, request, turn, conversationId) : acceptStart(ctx, request, turn);
}

async function acceptStart(ctx: Context, request: TurnRequest, turn: NewTurn): Promise<AcceptedTurn> {
  const { triggerId } = turn;
  const conversation = {
    id: ctx.newId(),
    name: titleOf(request.input.content),
    variables: request.input.variables,
    createdAt: turn.acceptedAt,
  };
  const meta = request.input.meta ?? {};
  const labels = Object.entries(meta).map(([key, value]) => metaLabel(key, value));
  const [message] = await withinRunLimit(
    ctx,
    request.background,
    (sql) => sql.rows<{ id: bigint }>`
    WITH ${triggerId ? claimedTrigger(ctx, request, conversation.id) : UNCLAIMED}, locked AS (
      INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels,
                                message_count, latest_run_id, created_at, updated_at)
      SELECT ${conversation.id}::uuid, ${ctx.environment.id}::uuid, ${request.deployment.id}::uuid,
             ${conversation.name}, ${JSON.stringify(conversation.variables)}::jsonb,
             ${JSON.stringify(meta)}::jsonb, ${labels}::text[], 1, ${turn.runId}::uuid,
             ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM claimed
      RETURNING id, environment_id, status
    ), ${runAndMessage(ctx, request, turn, Prisma.sql`true`)}${recordTurn(ctx, conversation.id, turn.runId)}
    SELECT id FROM message`,
  );
  if (!message) throw triggerId ? await claimLost(ctx, triggerId) : new Error('a start that claims nothing was lost');
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
