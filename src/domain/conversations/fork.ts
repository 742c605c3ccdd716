import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { type FileId, fileIdOfUri } from '../../contract/file-uri.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes, formatCount } from '../../contract/quantities.ts';
import { Prisma } from '../../db/generated/client.ts';
import { FORK_CONVERSATION } from '../../shapes/branches.ts';
import { rulesOf } from '../../shapes/field.ts';
import type { MetaValue } from '../../shapes/meta.ts';
import { effectCte, heldClaim, underClaim } from '../access/claimed-effect.ts';
import { ownedBy, reachOf } from '../access/reach.ts';
import type { Context } from '../context.ts';
import { recordUses } from '../files/use.ts';
import { parseInput } from '../input.ts';
import { deploymentNotFound, type PublishedDeployment, publishedDeployment } from '../workflows/deployments.ts';
import { metaLabel } from './conditions.ts';
import { itemNumber } from './item-id.ts';
import { requireEditing } from './may-edit.ts';
import { publishConversationChange } from './publish-change.ts';
import { conversationNotFound } from './reads.ts';
import { superseded } from './superseded.ts';
import { IS_ACTIVE } from './timeline.ts';

/** The effect that an idempotency key stores. */
export interface Forked {
  readonly conversationId: string;
}

/** The fork that an earlier attempt with the same idempotency key made. */
export function recordedFork({ request }: Pick<Context, 'request'>): Forked | undefined {
  return (request.claim?.effect as Forked | null | undefined) ?? undefined;
}

const forked = z.object(rulesOf(FORK_CONVERSATION.fields));

/**
 * Copies the active line of a conversation up to an item into a new conversation of the same owner.
 * @throws {ServiceError} invalid_request, not_found, forbidden, message_superseded, run_in_progress, fork_too_large,
 * rate_limited, challenge_required
 */
export async function forkConversation(ctx: Context, given: object, countStart: CountStart): Promise<Forked> {
  const recorded = recordedFork(ctx);
  if (recorded) return recorded;
  const { conversationId, itemId, deploymentId, meta } = parseInput(forked, given);
  const source = await readSource(ctx, conversationId);
  requireEditing(ctx, await publishedDeployment(ctx, source.deploymentId));
  const deployment = await targetOf(ctx, source, deploymentId ?? source.deploymentId);
  await countStart(ctx, deployment);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const current = await readSource(ctx, conversationId);
    const lastItemId = await lastItemOf(ctx, current, itemId);
    const items = Prisma.sql`(${IS_ACTIVE} AND CASE WHEN kind = 'summary' THEN (summary ->> 'lastItemId')::int8 <= ${lastItemId} ELSE id <= ${lastItemId} END)`;
    const fork = await forkLine(ctx, deployment, { source: current, items, lastItemId, meta });
    if (fork) return fork;
  }
  throw new ServiceError('run_in_progress', 'The conversation changes right now. Try again when its turn has ended.');
}

/** How often a fork of a conversation that changes meanwhile starts again. */
const ATTEMPTS = 5;

type CountStart = (ctx: Context, deployment: PublishedDeployment) => Promise<void>;

/** A conversation that is copied. */
export interface ForkSource {
  readonly id: string;
  readonly deploymentId: string;
  /** The transaction that last wrote it. */
  readonly xid: string;
}

async function readSource(ctx: Context, id: string): Promise<ForkSource> {
  const [source] = await ctx.sql.rows<ForkSource>`
    SELECT id, deployment_id AS "deploymentId", xid::text AS xid FROM conversation
    WHERE id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid${ownedBy(ctx.caller)}`;
  if (!source) throw conversationNotFound();
  return source;
}

/** The deployment of the fork. Callers with a reach can only name one within it. @throws {ServiceError} not_found */
async function targetOf(ctx: Context, source: ForkSource, id: string): Promise<PublishedDeployment> {
  const isOther = id !== source.deploymentId;
  const reach = reachOf(ctx.caller);
  if (isOther && (ctx.caller.kind === 'anonymous' || (reach && !reach.deploymentIds.includes(id))))
    throw deploymentNotFound();
  return publishedDeployment(ctx, id);
}

/**
 * The last item to copy: by default the last one of the last turn that has ended.
 * @throws {ServiceError} not_found, message_superseded, run_in_progress
 */
async function lastItemOf(ctx: Context, { id }: ForkSource, itemId: string | null | undefined): Promise<bigint> {
  const number = itemId == null ? null : (itemNumber(itemId) ?? 0n);
  const [item] = await ctx.sql.rows<{ id: bigint; supersededBy: bigint | null; isOpen: boolean }>`
    SELECT i.id, i.superseded_by AS "supersededBy", r.status IN ('running', 'waiting_for_client_action') AS "isOpen"
    FROM timeline_item i CROSS JOIN LATERAL (
      SELECT status FROM run WHERE run.id = i.run_id AND run.environment_id = ${ctx.environment.id}::uuid OFFSET 0
    ) AS r
    WHERE i.conversation_id = ${id}::uuid AND i.environment_id = ${ctx.environment.id}::uuid AND i.kind <> 'summary'
      AND CASE WHEN ${number}::int8 IS NULL
        THEN i.${IS_ACTIVE} AND r.status NOT IN ('running', 'waiting_for_client_action') ELSE i.id = ${number}::int8 END
    ORDER BY i.id DESC LIMIT 1`;
  const param = ['itemId'];
  if (!item && number === null) {
    throw new ServiceError('not_found', 'No turn of this conversation has ended, so there is nothing to copy.');
  }
  if (!item)
    throw new ServiceError('not_found', 'There is no item with this ID in this conversation. Check {param}.', {
      param,
    });
  if (item.supersededBy !== null) throw superseded(item.supersededBy, 'itemId');
  if (!item.isOpen) return item.id;
  throw new ServiceError(
    'run_in_progress',
    'The turn of {param} has not ended. Wait until it has, or name an earlier item.',
    { param },
  );
}

interface ForkedLine {
  readonly source: ForkSource;
  /** The condition of the items to copy. */
  readonly items: Prisma.Sql;
  readonly lastItemId: bigint;
  /** Null: the labels of the source. */
  readonly meta?: Readonly<Record<string, MetaValue>> | null | undefined;
}

/**
 * Copies items with their runs into a new conversation, in one statement. Ratings and usage stay with the source, and so does
 * what providers get back with calls, because it is sealed for its run. Undefined if the source changed after it was read.
 * @throws {ServiceError} fork_too_large
 */
export async function forkLine(
  ctx: Context,
  deployment: PublishedDeployment,
  { source, items, lastItemId, meta }: ForkedLine,
): Promise<Forked | undefined> {
  const own = Prisma.sql`conversation_id = ${source.id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${items}`;
  const fileIds = await sizedFiles(ctx, own);
  const conversationId = ctx.newId();
  const labels = meta && Object.entries(meta).map(([key, value]) => metaLabel(key, value));
  const at = ctx.now();
  const { claim } = ctx.request;
  const count = await underClaim(
    claim,
    () => ctx.sql.execute`
    WITH ${heldClaim(claim)}, source AS (
      SELECT conversation.* FROM conversation, held
      WHERE conversation.id = ${source.id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND xid = ${source.xid}::xid8
      FOR KEY SHARE OF conversation
    ), copied AS MATERIALIZED (
      SELECT nextval('timeline_item_id_seq') AS new_id, line.*
      FROM (SELECT * FROM timeline_item WHERE ${own} AND EXISTS (SELECT FROM source) ORDER BY id OFFSET 0) AS line
    ), copied_run AS MATERIALIZED (
      SELECT run.*, gen_random_uuid() AS new_id FROM run
      WHERE run.id IN (SELECT run_id FROM copied) AND run.environment_id = ${ctx.environment.id}::uuid
    ), message AS (
      INSERT INTO conversation (id, environment_id, deployment_id, end_user, name, variables, meta, meta_labels, message_count,
                                latest_run_id, forked_from, forked_from_item, created_at, updated_at)
      SELECT ${conversationId}::uuid, source.environment_id, ${deployment.id}::uuid, source.end_user, source.name, source.variables,
             coalesce(${meta ? JSON.stringify(meta) : null}::jsonb, source.meta), coalesce(${labels ?? null}::text[], source.meta_labels),
             (SELECT count(*)::int4 FROM copied WHERE kind = 'message'),
             (SELECT copied_run.new_id FROM copied JOIN copied_run ON copied_run.id = copied.run_id
              WHERE copied.kind <> 'summary' ORDER BY copied.id DESC LIMIT 1),
             source.id, ${lastItemId}::int8, ${at}, ${at}
      FROM source
      RETURNING id
    ), new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, results_accepted, step, tools,
                       history_limit, model, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, error_code,
                       failure_reason, finish_reason, request_id, accepted_at, created_at, updated_at)
      SELECT new_id, environment_id, ${conversationId}::uuid, workflow_version, agent, status, results_accepted, step, tools,
             history_limit, model, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, error_code,
             failure_reason, finish_reason, request_id, accepted_at, created_at, updated_at
      FROM copied_run
      RETURNING id
    )${recordUses(ctx, fileIds, 'conversation_id', { from: 'message', id: Prisma.sql`(SELECT id FROM message)` })}${effectCte(claim, { conversationId } satisfies Forked, 'new_run')}
    INSERT INTO timeline_item (id, environment_id, conversation_id, run_id, kind, step, role, content, call_id, name, arguments,
                               output, status, expired, answered_by, prior_effects, summary, revision, created_at)
    SELECT copied.new_id, copied.environment_id, ${conversationId}::uuid, copied_run.new_id, copied.kind, copied.step,
           copied.role, copied.content, copied.call_id, copied.name, copied.arguments, copied.output, copied.status,
           copied.expired, copied.answered_by, copied.prior_effects, ${RENUMBERED}, next_revision(), copied.created_at
    FROM copied JOIN copied_run ON copied_run.id = copied.run_id
    WHERE copied.kind <> 'conversation_completed'
    ORDER BY copied.new_id`,
  );
  if (count === 0) return undefined;
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return { conversationId };
}

/** A summary with the new IDs of the items that it covers. */
const RENUMBERED = Prisma.sql`CASE WHEN copied.summary IS NOT NULL THEN copied.summary || jsonb_build_object(
             'firstItemId', (SELECT min(new_id)::text FROM copied one WHERE one.id >= (copied.summary ->> 'firstItemId')::int8),
             'lastItemId', (SELECT max(new_id)::text FROM copied one WHERE one.id <= (copied.summary ->> 'lastItemId')::int8)) END`;

/** The uploaded files of the items. @throws {ServiceError} fork_too_large */
async function sizedFiles(ctx: Context, own: Prisma.Sql): Promise<FileId[]> {
  const [size] = await ctx.sql.rows<{ items: number; bytes: number }>`
    SELECT count(*)::int4 AS items,
           coalesce(sum(coalesce(pg_column_size(content), 0) + coalesce(pg_column_size(arguments), 0)
             + coalesce(pg_column_size(output), 0)), 0)::float8 AS bytes
    FROM (SELECT content, arguments, output FROM timeline_item WHERE ${own} LIMIT ${LIMITS.forkItems + 1}) AS line`;
  if (size && (size.items > LIMITS.forkItems || size.bytes > LIMITS.forkBytes)) {
    throw new ServiceError(
      'fork_too_large',
      `A fork copies at most ${formatCount(LIMITS.forkItems)} items of together ${formatBytes(LIMITS.forkBytes)}. Fork at an earlier item, or start a new conversation.`,
    );
  }
  const rows = await ctx.sql.rows<{ uri: string }>`
    SELECT DISTINCT uri FROM (
      SELECT jsonb_path_query(content, '$[*].fileUri') #>> '{}' AS uri FROM timeline_item
      WHERE ${own} AND content @? '$[*]?(@."type" != "text")'
      UNION ALL
      SELECT jsonb_path_query(output, '$.content[*].file_uri') #>> '{}' FROM timeline_item
      WHERE ${own} AND kind = 'client_tool'
    ) AS named WHERE uri LIKE 'parley:%'`;
  return rows.flatMap(({ uri }) => fileIdOfUri(uri) ?? []);
}
