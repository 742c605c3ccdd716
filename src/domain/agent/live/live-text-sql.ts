import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { changeByEnvironment, type FoundRow } from '../../by-environment.ts';

/** A piece of what a running step wrote. `position` is where it starts in all pieces of the step, in UTF-16 code units. */
export interface Piece {
  readonly environmentId: string;
  readonly runId: string;
  readonly fence: number;
  readonly step: number;
  readonly position: number;
  readonly isReasoning: boolean;
  readonly text: string;
}

/**
 * Appends pieces of several runs, whatever the number of environments. It lists them, so that a router can choose their
 * servers. It skips runs that this process no longer owns.
 */
export function insertPieces(pieces: readonly Piece[]): Prisma.Sql {
  const environmentIds = [...new Set(pieces.map(({ environmentId }) => environmentId))];
  return Prisma.sql`
    INSERT INTO live_text (run_id, fence, step, position, is_reasoning, environment_id, text)
    SELECT run.id, run.fence, piece.step, piece.position, piece."isReasoning", run.environment_id, piece.text
    FROM jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb)
      AS piece("environmentId" uuid, "runId" uuid, fence int, step int, position int, "isReasoning" boolean, text text)
    JOIN run ON run.environment_id = piece."environmentId" AND run.id = piece."runId" AND run.fence = piece.fence
      AND run.status = 'running'
    WHERE run.environment_id = ANY (${environmentIds}::uuid[])
    ON CONFLICT DO NOTHING`;
}

/** Deletes the text of the runs in `moved`, because the message is stored or the text is void. */
export function deleteLiveText(): Prisma.Sql {
  return Prisma.sql`written AS (
      DELETE FROM live_text USING moved
      WHERE live_text.run_id = moved.id AND live_text.environment_id = moved.environment_id)`;
}

/** The condition that the run of a piece has ended, or runs in another process. */
const IS_ORPHAN = Prisma.sql`NOT EXISTS (
    SELECT 1 FROM run
    WHERE run.id = live_text.run_id AND run.environment_id = live_text.environment_id AND run.fence = live_text.fence
      AND run.status = 'running')`;

/** Limit: environments whose orphans one sweep deletes. */
const ENVIRONMENTS = 100;

/** Deletes pieces that a process wrote while another process settled the run. */
export async function deleteOrphans(sql: Sql): Promise<void> {
  const found = await sql.rows<FoundRow>`
    SELECT DISTINCT live_text.environment_id::text AS "environmentId", '' AS id FROM live_text
    WHERE ${IS_ORPHAN} LIMIT ${ENVIRONMENTS}`;
  await changeByEnvironment(
    found,
    (environmentId) =>
      sql.execute`DELETE FROM live_text WHERE environment_id = ${environmentId}::uuid AND ${IS_ORPHAN}`,
  );
}

/** A piece as its readers see it. */
export type StoredPiece = Omit<Piece, 'environmentId'>;

/** Where a reader of pieces is: it has all pieces of the run before this position. */
export type PiecePlace = Omit<StoredPiece, 'text' | 'isReasoning'>;

/** The conversation whose text is read. */
export interface LiveSource {
  readonly conversationId: string;
  readonly environmentId: string;
  readonly sql: Sql;
}

/** Limit: pieces per read. */
export const MAX_PIECES = 500;

/** Reads the pieces of the conversation's running run after a place, in order. */
export function readPieces(
  { conversationId, environmentId, sql }: LiveSource,
  after: PiecePlace,
): Promise<StoredPiece[]> {
  return sql.rows<StoredPiece>`
    SELECT live_text.run_id AS "runId", live_text.fence, live_text.step, live_text.position,
           live_text.is_reasoning AS "isReasoning", live_text.text
    FROM live_text
    JOIN run ON run.id = live_text.run_id AND run.environment_id = live_text.environment_id
      AND run.fence = live_text.fence AND run.status = 'running'
    WHERE run.conversation_id = ${conversationId}::uuid AND live_text.environment_id = ${environmentId}::uuid
      AND (live_text.run_id <> ${after.runId}::uuid OR live_text.fence <> ${after.fence}
           OR (live_text.step, live_text.position) > (${after.step}, ${after.position}))
    ORDER BY live_text.step, live_text.position LIMIT ${MAX_PIECES}`;
}
