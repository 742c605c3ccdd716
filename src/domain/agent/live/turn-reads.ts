import { type MessageContent, textOf } from '../../../contract/content.ts';
import { ERROR_CODES, type ErrorCode } from '../../../contract/errors.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Context } from '../../context.ts';
import { latestRun } from '../../conversations/latest-run.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { NO_SUMMARY } from '../../related/lists.ts';
import type { PendingCall } from '../turn.ts';
import type { TurnState } from './turn-events.ts';

/** How many items one read returns. */
export const MAX_ITEMS = 100;

/** The conversation whose turns are read. */
export interface TurnSource {
  readonly conversationId: string;
  readonly environmentId: string;
  readonly db: Context['db'];
  readonly sql: Sql;
}

type RunRow = Omit<TurnState, 'errorCode'> & { readonly errorCode: string | null };

/** The code that the request of a failed turn gets. The log has internal reasons, such as a process that died. */
function turnOf({ errorCode, ...run }: RunRow): TurnState {
  const code = errorCode !== null && errorCode in ERROR_CODES ? (errorCode as ErrorCode) : 'model_error';
  return { ...run, errorCode: run.status === 'failed' ? code : null };
}

/** The latest run of a conversation, and the transaction that last wrote the conversation. */
export interface LatestTurn {
  readonly xid: string;
  readonly turn: TurnState | null;
}

/** @throws {ServiceError} not_found if the conversation was deleted */
export async function readLatestTurn({ conversationId, environmentId, sql }: TurnSource): Promise<LatestTurn> {
  const [row] = await sql.rows<{ xid: string } & (RunRow | { readonly runId: null })>`
    SELECT c.xid::text AS xid, r.id AS "runId", r.status::text AS status, r.step, r.finish_reason AS "finishReason",
           r.error_code AS "errorCode"
    FROM conversation c ${latestRun(environmentId)}
    WHERE c.id = ${conversationId}::uuid AND c.environment_id = ${environmentId}::uuid`;
  if (!row) throw conversationNotFound();
  const { xid, ...run } = row;
  return { xid, turn: run.runId === null ? null : turnOf(run as RunRow) };
}

/** Runs of the conversation by their ID. */
export async function readTurns(
  { conversationId, environmentId, sql }: TurnSource,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, TurnState>> {
  const rows = await sql.rows<RunRow>`
    SELECT id AS "runId", status::text AS status, step, finish_reason AS "finishReason", error_code AS "errorCode"
    FROM run
    WHERE id = ANY (${[...runIds]}::uuid[]) AND conversation_id = ${conversationId}::uuid
      AND environment_id = ${environmentId}::uuid`;
  return new Map(rows.map((row) => [row.runId, turnOf(row)]));
}

/** The items that changed after a revision, in the order of their changes. */
export function readItems({ conversationId, db }: TurnSource, revision: bigint): Promise<TimelineItem[]> {
  return db.timelineItem.findMany({
    where: { conversationId, revision: { gt: revision }, ...NO_SUMMARY },
    orderBy: { revision: 'asc' },
    take: MAX_ITEMS,
  });
}

/** The text of the assistant's message that a run ended with, not of a person. Null if there is no such message. */
export async function readReply(
  { environmentId, sql }: TurnSource,
  { runId, step }: TurnState,
): Promise<string | null> {
  const [row] = await sql.rows<{ content: MessageContent }>`
    SELECT content FROM timeline_item
    WHERE run_id = ${runId}::uuid AND environment_id = ${environmentId}::uuid AND step = ${step}
      AND kind = 'message' AND role = 'assistant' AND author IS NULL
    ORDER BY id DESC LIMIT 1`;
  return row ? textOf(row.content) : null;
}

/** The calls of a pause that still wait for a result. A call that waits for an approval is not answered itself. */
export function readPendingCalls(
  { environmentId, sql }: TurnSource,
  { runId, step }: TurnState,
): Promise<PendingCall[]> {
  return sql.rows<PendingCall>`
    SELECT call_id AS "callId", name, arguments, expires_at AS "expiresAt" FROM timeline_item
    WHERE run_id = ${runId}::uuid AND environment_id = ${environmentId}::uuid AND step = ${step}
      AND kind = 'client_tool' AND status = 'pending'
    ORDER BY id`;
}

/**
 * The revision before the first item of a run. With `answered`, the revision before the results of the calls of that step:
 * all of them got a new revision when they were accepted.
 */
export async function revisionBefore(
  { environmentId, sql }: Pick<TurnSource, 'environmentId' | 'sql'>,
  runId: string,
  answered: number | null = null,
): Promise<bigint> {
  const [row] = await sql.rows<{ first: bigint | null }>`
    SELECT min(revision) AS first FROM timeline_item
    WHERE run_id = ${runId}::uuid AND environment_id = ${environmentId}::uuid
      AND (${answered}::int IS NULL OR (step = ${answered} AND kind = 'client_tool'))`;
  return (row?.first ?? 1n) - 1n;
}
