import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';

/** The messages that were at one place of a conversation. */
export interface Variants {
  /** The position of the message among them, from 1. */
  readonly position: number;
  /** The IDs of their items, oldest first. */
  readonly ids: readonly bigint[];
}

interface Row {
  readonly id: bigint;
  readonly ids: readonly bigint[] | null;
}

/**
 * The variants of each of these messages, in one statement. Null: it has no other variant. Edits of a message have the same
 * first message. Replies to one message belong to different runs: the message belongs to the run of the active one, and it
 * replaced the others. A reply of several messages counts as its last one.
 */
export async function variantsOfEach(ctx: Context, messageIds: readonly string[]): Promise<(Variants | null)[]> {
  const own = ctx.environment.id;
  const isQuestion = Prisma.sql`asked.environment_id = ${own}::uuid AND asked.kind = 'message' AND asked.role = 'user'`;
  const rows = await ctx.sql.rows<Row>`
    SELECT m.id, v.ids
    FROM timeline_item m CROSS JOIN LATERAL (
      SELECT coalesce(
        (SELECT asked.id FROM timeline_item asked WHERE asked.run_id = m.run_id AND ${isQuestion} LIMIT 1),
        m.superseded_by) AS id
      OFFSET 0
    ) AS q CROSS JOIN LATERAL (
      SELECT CASE WHEN m.role = 'user' THEN (
        SELECT array_agg(other.id ORDER BY other.id) FROM timeline_item other
        WHERE other.variant_of = m.variant_of AND other.environment_id = ${own}::uuid
      ) ELSE (
        SELECT array_agg(reply.id ORDER BY reply.first) FROM (
          SELECT max(one.id) AS id, min(one.id) AS first FROM (
            SELECT other.id, other.run_id FROM timeline_item question JOIN timeline_item other ON other.run_id = question.run_id
            WHERE question.id = q.id AND question.environment_id = ${own}::uuid AND other.environment_id = ${own}::uuid
              AND other.kind = 'message' AND other.role = 'assistant'
            UNION ALL
            SELECT other.id, other.run_id FROM timeline_item other
            WHERE other.superseded_by = q.id AND other.environment_id = ${own}::uuid
              AND other.kind = 'message' AND other.role = 'assistant'
              AND NOT EXISTS (SELECT FROM timeline_item asked WHERE asked.run_id = other.run_id AND ${isQuestion})
          ) AS one GROUP BY one.run_id
        ) AS reply
      ) END AS ids
      OFFSET 0
    ) AS v
    WHERE m.id = ANY (${messageIds.map(BigInt)}::int8[]) AND m.environment_id = ${own}::uuid`;
  const found = new Map(rows.map(({ id, ids }) => [String(id), variantsOf(id, ids ?? [])]));
  return messageIds.map((id) => found.get(id) ?? null);
}

/** Messages before the last one of their reply have no variants of their own. */
function variantsOf(id: bigint, ids: readonly bigint[]): Variants | null {
  const known = ids.map(BigInt);
  const position = known.indexOf(BigInt(id)) + 1;
  return position > 0 && known.length > 1 ? { position, ids: known } : null;
}
