import { ServiceError } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import { markedEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import { metaLabel } from '../conversations/list.ts';
import { conversationNotFound } from '../conversations/reads.ts';
import { titleOf } from '../conversations/title.ts';
import type { TurnInput } from '../conversations/turn-input.ts';
import { claimLost, type Primed } from '../triggers/prime.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import { conversationCompleted } from './judge-resume.ts';
import { LEASE_SECONDS } from './run-registry.ts';
import type { OfferedTool } from './tools.ts';
import { type AcceptedTurn, type MadeTurn, NO_USAGE } from './turn.ts';

export interface TurnRequest {
  readonly deployment: PublishedDeployment;
  readonly input: TurnInput & Primed;
  /** A v2 turn. */
  readonly agent: boolean;
  readonly tools: readonly OfferedTool[];
}

/**
 * Stores the user's message and takes the conversation for a new run: one statement, so all of it or nothing.
 * @throws {ServiceError} not_found, conversation_completed, client_action_required, run_in_progress,
 * trigger_already_used, trigger_expired
 */
export function acceptTurn(ctx: Context, request: TurnRequest): Promise<AcceptedTurn> {
  const { conversationId } = request.input;
  return conversationId ? acceptContinue(ctx, request, conversationId) : acceptStart(ctx, request);
}

async function acceptStart(ctx: Context, request: TurnRequest): Promise<AcceptedTurn> {
  const turn = newTurn(ctx, request);
  const { triggerId } = turn;
  const conversation = {
    id: ctx.newId(),
    name: titleOf(request.input.content),
    variables: request.input.variables,
    createdAt: turn.acceptedAt,
  };
  const meta = request.input.meta ?? {};
  const labels = Object.entries(meta).map(([key, value]) => metaLabel(key, value));
  const started = await ctx.db.$queryRaw<object[]>`
    WITH ${triggerId ? claimedTrigger(ctx, request, conversation.id) : UNCLAIMED}, locked AS (
      INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels,
                                message_count, latest_run_id, created_at, updated_at)
      SELECT ${conversation.id}::uuid, ${ctx.environment.id}::uuid, ${request.deployment.id}::uuid,
             ${conversation.name}, ${JSON.stringify(conversation.variables)}::jsonb,
             ${JSON.stringify(meta)}::jsonb, ${labels}::text[], 1, ${turn.runId}::uuid,
             ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM claimed
      RETURNING id, environment_id, status
    ), ${runAndMessage(ctx, request, turn)}${madeTurn(ctx, conversation.id, turn.runId)}
    SELECT 1 FROM locked`;
  if (started.length === 0 && triggerId) throw await claimLost(ctx, triggerId);
  ctx.services.live.publish(conversation.id);
  return { ...turn, conversation };
}

/** Where no trigger is named there is nothing to claim. */
const UNCLAIMED = Prisma.sql`claimed AS (SELECT 1)`;

/** Of the starts that race for a trigger one finds it unused: `claimed` is empty for all others (SPEC 3, WIRE 8). */
function claimedTrigger(ctx: Context, { deployment, input }: TurnRequest, conversationId: string): Prisma.Sql {
  return Prisma.sql`claimed AS (
      UPDATE trigger SET conversation_id = ${conversationId}::uuid
      WHERE id = ${input.triggerId} AND deployment_id = ${deployment.id}::uuid
        AND environment_id = ${ctx.environment.id}::uuid AND conversation_id IS NULL
        AND (expires_at IS NULL OR expires_at > ${ctx.now()})
      RETURNING id
    )`;
}

interface ContinueRow {
  id: string;
  name: string;
  status: string;
  variables: Record<string, string>;
  created_at: Date;
  run_id: string | null;
}

async function acceptContinue(ctx: Context, request: TurnRequest, conversationId: string): Promise<AcceptedTurn> {
  const turn = newTurn(ctx, request);
  const [row] = await ctx.db.$queryRaw<ContinueRow[]>`
    WITH locked AS (
      SELECT id, environment_id, name, status, variables, created_at FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
        AND deployment_id = ${request.deployment.id}::uuid
      FOR NO KEY UPDATE
    ), ${runAndMessage(ctx, request, turn)}, touched AS (
      UPDATE conversation
      SET message_count = message_count + 1, latest_run_id = ${turn.runId}::uuid, updated_at = ${turn.acceptedAt}
      FROM new_run WHERE conversation.id = new_run.conversation_id
    )${madeTurn(ctx, conversationId, turn.runId)}
    SELECT locked.id, locked.name, locked.status::text AS status, locked.variables, locked.created_at,
           new_run.id AS run_id
    FROM locked LEFT JOIN new_run ON true`;
  if (!row) throw conversationNotFound();
  if (!row.run_id) throw await refusal(ctx, row);
  const { id, name, variables, created_at: createdAt } = row;
  ctx.services.live.publish(id);
  return { ...turn, conversation: { id, name, variables, createdAt } };
}

function newTurn(ctx: Context, { deployment, input, tools }: TurnRequest): Omit<AcceptedTurn, 'conversation'> {
  return {
    runId: ctx.newId(),
    fence: 1,
    step: 0,
    resumed: false,
    usageBefore: NO_USAGE,
    acceptedAt: ctx.now(),
    deployment,
    model: deployment.config.model ?? ctx.services.defaultModel,
    historyLimit: input.historyLimit ?? deployment.config.historyLimit,
    tools,
    triggerId: input.triggerId,
  };
}

/**
 * The rows of a new turn, given the conversation in `locked`. Its partial unique index lets a conversation have one
 * active run: where there is one, nothing is inserted and `new_run` is empty.
 */
function runAndMessage(
  ctx: Context,
  { input, agent }: TurnRequest,
  turn: Omit<AcceptedTurn, 'conversation'>,
): Prisma.Sql {
  return Prisma.sql`new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, lease_owner, lease_expires_at,
                       tools, history_limit, model, request_id, created_at, updated_at)
      SELECT ${turn.runId}::uuid, locked.environment_id, locked.id, ${turn.deployment.version}, ${agent}, 'running',
             ${ctx.services.runs.owner}::uuid, now() + make_interval(secs => ${LEASE_SECONDS}),
             ${JSON.stringify(turn.tools)}::jsonb, ${turn.historyLimit}, ${turn.model}, ${ctx.request.id},
             ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM locked WHERE locked.status = 'active'
      ON CONFLICT (conversation_id)
        WHERE status = ANY (ARRAY['running'::run_status, 'waiting_for_client_action'::run_status]) DO NOTHING
      RETURNING id, environment_id, conversation_id
    ), message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT environment_id, conversation_id, id, 'message', 0, 'user', ${JSON.stringify(input.content)}::jsonb,
             nextval('timeline_revision'), ${turn.acceptedAt}
      FROM new_run
    )`;
}

/** What a request under an idempotency key has made, should its process die before it is answered. */
function madeTurn(ctx: Context, conversationId: string, runId: string): Prisma.Sql {
  const effect = { conversationId, runId } satisfies MadeTurn;
  return markedEffect(ctx.request.claim, effect, 'new_run');
}

/** Why a continue was not accepted: asked only after it was not, so the common path pays nothing for it. */
async function refusal(ctx: Context, conversation: ContinueRow): Promise<ServiceError> {
  if (conversation.status === 'completed') return conversationCompleted();
  const active = await ctx.db.run.findFirst({
    where: { conversationId: conversation.id, status: { in: ['running', 'waiting_for_client_action'] } },
    select: { id: true, status: true },
  });
  const pending = active?.status === 'waiting_for_client_action' ? await pendingActions(ctx, active.id) : [];
  // With none left, a resume came in between: the run is at work again.
  if (pending.length > 0) return clientActionRequired(pending);
  return new ServiceError(
    'run_in_progress',
    'A turn of this conversation is still running. Wait until it has ended, then send this again.',
    { facts: { run_id: active?.id ?? null } },
  );
}

async function pendingActions(ctx: Context, runId: string): Promise<object[]> {
  const pending = await ctx.db.timelineItem.findMany({
    where: { runId, kind: 'client_tool', status: 'pending' },
    orderBy: { id: 'asc' },
    select: { callId: true, name: true, arguments: true },
  });
  return pending.map(({ callId, name, arguments: given }) => ({ call_id: callId, name, arguments: given }));
}

function clientActionRequired(pending: readonly object[]): ServiceError {
  return new ServiceError(
    'client_action_required',
    'The assistant waits for the results of its client tools. Send tool_results for every pending action first.',
    { facts: { pending_client_actions: pending } },
  );
}
