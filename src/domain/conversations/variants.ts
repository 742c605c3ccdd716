import { LIMITS } from '../../contract/limits.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';

/** The messages that were at one place of a conversation: the latest ones. */
export interface Variants {
  /** The position of the message among them, from 1. */
  readonly position: number;
  /** The IDs of their items, oldest first. */
  readonly ids: readonly bigint[];
}

/** A place, and the requested messages that are or were there. */
interface Row {
  readonly requested: readonly bigint[];
  readonly ids: readonly bigint[] | null;
}

/**
 * The variants of each of these messages, in one statement. Null: it has no other variant. Edits of a message have the same
 * first message. Replies to one message belong to different runs: the message belongs to the run of the active one, and it
 * replaced the others. A reply of several messages counts as its last one. What a person wrote is no reply.
 */
export async function variantsOfEach(ctx: Context, messageIds: readonly string[]): Promise<(Variants | null)[]> {
  const rows = await ctx.sql.rows<Row>`${placesOf(ctx.environment.id, messageIds.map(BigInt))}`;
  const found = new Map<string, Variants | null>();
  for (const { requested, ids } of rows) {
    const known = (ids ?? []).map(BigInt);
    for (const id of requested) found.set(String(id), variantsOf(BigInt(id), known));
  }
  return messageIds.map((id) => found.get(id) ?? null);
}

/** Messages before the last one of their reply have no variants of their own. */
function variantsOf(id: bigint, ids: readonly bigint[]): Variants | null {
  const position = ids.indexOf(id) + 1;
  return position > 0 && ids.length > 1 ? { position, ids } : null;
}

/** Reads each place once, whatever the number of its messages on the page. */
function placesOf(environmentId: string, ids: bigint[]): Prisma.Sql {
  const isOwn = (row: string) => Prisma.sql`${Prisma.raw(row)}.environment_id = ${environmentId}::uuid`;
  const questionOf = (run: Prisma.Sql) => Prisma.sql`timeline_item question
        WHERE question.run_id = ${run} AND ${isOwn('question')} AND question.kind = 'message' AND question.role = 'user'`;
  const isReply = Prisma.sql`${isOwn('other')} AND other.kind = 'message' AND other.role = 'assistant' AND other.author IS NULL`;
  return Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT m.id, m.role, CASE WHEN m.role = 'user' THEN m.variant_of ELSE coalesce(
        (SELECT question.id FROM ${questionOf(Prisma.sql`m.run_id`)} LIMIT 1), m.superseded_by) END AS place
      FROM timeline_item m WHERE m.id = ANY (${ids}::int8[]) AND ${isOwn('m')}
    ), places AS (
      SELECT role, place, array_agg(id) AS requested FROM requested WHERE place IS NOT NULL GROUP BY role, place
    )
    SELECT places.requested, v.ids
    FROM places CROSS JOIN LATERAL (
      SELECT CASE WHEN places.role = 'user' THEN (
        SELECT array_agg(latest.id ORDER BY latest.id) FROM (
          SELECT other.id FROM timeline_item other WHERE other.variant_of = places.place AND ${isOwn('other')}
          ORDER BY other.id DESC LIMIT ${LIMITS.variants}
        ) AS latest
      ) ELSE (
        SELECT array_agg(latest.id ORDER BY latest.first) FROM (
          SELECT max(one.id) AS id, min(one.id) AS first FROM (
            SELECT other.id, other.run_id FROM timeline_item other
            WHERE other.run_id = (SELECT run_id FROM timeline_item question WHERE question.id = places.place AND ${isOwn('question')})
              AND ${isReply}
            UNION ALL
            SELECT other.id, other.run_id FROM timeline_item other
            WHERE other.superseded_by = places.place AND ${isReply} AND NOT EXISTS (SELECT FROM ${questionOf(Prisma.sql`other.run_id`)})
          ) AS one GROUP BY one.run_id ORDER BY first DESC LIMIT ${LIMITS.variants}
        ) AS latest
      ) END AS ids
      OFFSET 0
    ) AS v`;
}
