import { ServiceError } from '../../contract/errors.ts';
import { type FileId, fileIdOfUri } from '../../contract/file-uri.ts';
import { formatBytes, formatCount } from '../../contract/quantities.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { MetaValue } from '../../shapes/meta.ts';
import { effectCte, heldClaim, underClaim } from '../access/claimed-effect.ts';
import type { Context } from '../context.ts';
import { unlessDeleted } from '../dependants.ts';
import { recordUses } from '../files/use.ts';
import { deploymentNotFound, type PublishedDeployment } from '../workflows/deployments.ts';
import { metaLabel } from './conditions.ts';
import { mostOfLine } from './line-limits.ts';
import { publishConversationChange } from './publish-change.ts';

/** The effect that an idempotency key stores. */
export interface Forked {
  readonly conversationId: string;
}

/** The fork that an earlier attempt with the same idempotency key made. */
export function recordedFork({ request }: Pick<Context, 'request'>): Forked | undefined {
  return (request.claim?.effect as Forked | null | undefined) ?? undefined;
}

/** A conversation that is copied. */
export interface ForkSource {
  readonly id: string;
  readonly deploymentId: string;
  /** The version of the workflow that it keeps. Null: the published version of its deployment. */
  readonly workflowVersion: number | null;
  /** The transaction that last wrote it. */
  readonly xid: string;
}

interface ForkedLine {
  readonly source: ForkSource;
  /** The version that the fork keeps. */
  readonly version: number | null;
  /** The condition of the items to copy. */
  readonly items: Prisma.Sql;
  readonly lastItemId: bigint;
  /** A message of the user that belongs to another run in the fork: that of the reply which is active there. */
  readonly moved?: { readonly id: bigint; readonly runId: string } | undefined;
  /** Null: the labels of the source. */
  readonly meta?: Readonly<Record<string, MetaValue>> | null | undefined;
}

/**
 * Copies items with their runs into a new conversation, in one statement. Ratings, usage, notes and the assignee stay with the source, and so does
 * what providers get back with calls, because it is sealed for its run. A turn that has not ended is left out. Undefined if the
 * source changed after it was read.
 * @throws {ServiceError} fork_too_large, forbidden, not_found if the deployment was deleted
 */
export async function forkLine(
  ctx: Context,
  deployment: PublishedDeployment,
  { source, version, items, lastItemId, moved, meta }: ForkedLine,
): Promise<Forked | undefined> {
  requireEnvironment(ctx);
  const own = Prisma.sql`conversation_id = ${source.id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${items}
      AND kind <> 'conversation_completed'`;
  const fileIds = await sizedFiles(ctx, own);
  const conversationId = ctx.newId();
  const labels = meta && Object.entries(meta).map(([key, value]) => metaLabel(key, value));
  const at = ctx.now();
  const { claim } = ctx.request;
  const store = () => ctx.sql.execute`
    WITH ${heldClaim(claim)}, source AS (
      SELECT conversation.* FROM conversation, held
      WHERE conversation.id = ${source.id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND xid = ${source.xid}::xid8
      FOR KEY SHARE OF conversation
    ), copied AS MATERIALIZED (
      SELECT nextval('timeline_item_id_seq') AS new_id, line.*,
             CASE WHEN line.id = ${moved?.id ?? null}::int8 THEN ${moved?.runId ?? null}::uuid ELSE line.run_id END AS own_run
      FROM (
        SELECT * FROM timeline_item WHERE ${own} AND EXISTS (SELECT FROM source) AND run_id NOT IN (
          SELECT id FROM run WHERE conversation_id = ${source.id}::uuid AND environment_id = ${ctx.environment.id}::uuid
            AND status IN ('running', 'waiting_for_client_action'))
        ORDER BY id OFFSET 0
      ) AS line
    ), copied_run AS MATERIALIZED (
      SELECT run.*, gen_random_uuid() AS new_id FROM run
      WHERE run.id IN (SELECT own_run FROM copied) AND run.environment_id = ${ctx.environment.id}::uuid
    ), message AS (
      INSERT INTO conversation (id, environment_id, deployment_id, end_user, name, variables, meta, meta_labels, message_count,
                                latest_run_id, forked_from, forked_from_item, workflow_version, created_at, updated_at)
      SELECT ${conversationId}::uuid, source.environment_id, ${deployment.id}::uuid, source.end_user, source.name, source.variables,
             coalesce(${meta ? JSON.stringify(meta) : null}::jsonb, source.meta), coalesce(${labels ?? null}::text[], source.meta_labels),
             (SELECT count(*)::int4 FROM copied WHERE kind = 'message'),
             (SELECT copied_run.new_id FROM copied JOIN copied_run ON copied_run.id = copied.own_run
              WHERE copied.kind <> 'summary' ORDER BY copied.id DESC LIMIT 1),
             source.id, ${lastItemId}::int8, ${version}::int4, ${at}, ${at}
      FROM source WHERE EXISTS (SELECT FROM copied)
      RETURNING id
    ), new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, results_accepted, step, tools,
                       history_limit, model, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, error_code,
                       failure_reason, finish_reason, request_id, handled_by, accepted_at, created_at, updated_at)
      SELECT new_id, environment_id, ${conversationId}::uuid, ${copiedVersion(deployment)}, agent, status, results_accepted, step, tools,
             history_limit, model, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, error_code,
             failure_reason, finish_reason, request_id, handled_by, accepted_at, created_at, updated_at
      FROM copied_run
      RETURNING id
    )${recordUses(ctx, fileIds, 'conversation_id', { from: 'message', id: Prisma.sql`(SELECT id FROM message)` })}${effectCte(claim, { conversationId } satisfies Forked, 'new_run')}
    INSERT INTO timeline_item (id, environment_id, conversation_id, run_id, kind, step, role, content, call_id, name, arguments,
                               output, status, expired, answered_by, prior_effects, summary, author, handling, revision, created_at)
    SELECT copied.new_id, copied.environment_id, ${conversationId}::uuid, copied_run.new_id, copied.kind, copied.step,
           copied.role, copied.content, copied.call_id, copied.name, copied.arguments, copied.output, copied.status,
           copied.expired, copied.answered_by, copied.prior_effects, ${RENUMBERED}, copied.author, ${COPIED_CHANGE}, next_revision(), copied.created_at
    FROM copied JOIN copied_run ON copied_run.id = copied.own_run
    ORDER BY copied.new_id`;
  const count = await unlessDeleted(deploymentNotFound, () => underClaim(claim, store));
  if (count === 0) return undefined;
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return { conversationId };
}

/** A summary with the new IDs of the items that it covers. */
const RENUMBERED = Prisma.sql`CASE WHEN copied.summary IS NOT NULL THEN copied.summary || jsonb_build_object(
             'firstItemId', (SELECT min(new_id)::text FROM copied one WHERE one.id >= (copied.summary ->> 'firstItemId')::int8),
             'lastItemId', (SELECT max(new_id)::text FROM copied one WHERE one.id <= (copied.summary ->> 'lastItemId')::int8)) END`;

/** Reports count a change only in the conversation where it happened. */
const COPIED_CHANGE = Prisma.sql`copied.handling || '{"isCopy":true}'`;

/** Versions of another workflow mean nothing in the fork: 0. */
const copiedVersion = ({ workflowId }: PublishedDeployment) => Prisma.sql`
             CASE WHEN (SELECT d.workflow_id FROM deployment d, source WHERE d.id = source.deployment_id) = ${workflowId}
               THEN workflow_version ELSE 0 END`;

/** Without credentials, a conversation of the test environment is only found by its trigger, which a fork does not have. */
function requireEnvironment({ caller, environment }: Context): void {
  if (caller.kind !== 'anonymous' || environment.kind === 'live') return;
  throw new ServiceError('forbidden', 'A conversation of the test environment can be forked only with credentials.');
}

/** The uploaded files of the items. @throws {ServiceError} fork_too_large */
async function sizedFiles(ctx: Context, own: Prisma.Sql): Promise<FileId[]> {
  const { items, bytes } = mostOfLine(ctx);
  const [size] = await ctx.sql.rows<{ items: number; bytes: number }>`
    SELECT count(*)::int4 AS items, coalesce(sum(bytes), 0)::float8 AS bytes FROM (
      SELECT coalesce(pg_column_size(content), 0) + coalesce(pg_column_size(arguments), 0) + coalesce(pg_column_size(output), 0)
        + coalesce(pg_column_size(summary), 0) + coalesce(pg_column_size(prior_effects), 0) AS bytes
      FROM timeline_item WHERE ${own} LIMIT ${items + 1}) AS line`;
  if (size && (size.items > items || size.bytes > bytes)) {
    throw new ServiceError(
      'fork_too_large',
      `A fork copies at most ${formatCount(items)} items of together ${formatBytes(bytes)}. Fork at an earlier item, or start a new conversation.`,
    );
  }
  const rows = await ctx.sql.rows<{ uri: string }>`
    SELECT DISTINCT uri FROM (
      SELECT jsonb_path_query(content, '$[*].fileUri') #>> '{}' AS uri FROM timeline_item
      WHERE ${own} AND content @? '$[*]?(@."type" != "text")'
      UNION ALL
      SELECT jsonb_path_query(output, '$.content[*].file_uri') #>> '{}' FROM timeline_item
      WHERE ${own} AND kind = 'client_tool'
      UNION ALL
      SELECT jsonb_path_query(output, '$.files[*].file_uri') #>> '{}' FROM timeline_item
      WHERE ${own} AND kind = 'action'
    ) AS named WHERE uri LIKE 'parley:%'`;
  return rows.flatMap(({ uri }) => fileIdOfUri(uri) ?? []);
}
