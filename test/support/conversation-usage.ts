import type { PrismaClient } from '../../src/db/generated/client.ts';

/** Stores the usage of all conversations again, after a test has changed the workflow log. */
export async function recountUsage(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    UPDATE conversation c SET
      turns = l.turns, failures = l.failures, input_tokens = l.input_tokens, output_tokens = l.output_tokens,
      cached_input_tokens = l.cached_input_tokens, cache_write_tokens = l.cache_write_tokens,
      response_time_ms = l.response_time_ms, usage_model = l.usage_model
    FROM (
      SELECT conversation_id, count(*)::int AS turns, (count(*) FILTER (WHERE outcome = 'failed'))::int AS failures,
             sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
             sum(cached_input_tokens) AS cached_input_tokens, sum(cache_write_tokens) AS cache_write_tokens,
             max(response_time_ms) AS response_time_ms,
             CASE WHEN min(model) = max(model) THEN min(model) END AS usage_model
      FROM workflow_log GROUP BY conversation_id
    ) AS l
    WHERE c.id = l.conversation_id`;
}

interface Difference {
  readonly id: string;
  readonly stored: object;
  readonly computed: object;
}

/** The conversations whose stored usage is not the sum of their lines in the workflow log. */
export function wrongUsage(prisma: PrismaClient): Promise<Difference[]> {
  return prisma.$queryRaw`
    SELECT c.id, stored, computed
    FROM conversation c, LATERAL (
      SELECT jsonb_build_object('turns', c.turns, 'failures', c.failures, 'input', c.input_tokens, 'output', c.output_tokens,
                                'cached', c.cached_input_tokens, 'written', c.cache_write_tokens,
                                'time', c.response_time_ms, 'model', c.usage_model) AS stored
    ) AS s, LATERAL (
      SELECT jsonb_build_object('turns', count(*), 'failures', count(*) FILTER (WHERE l.outcome = 'failed'),
                                'input', coalesce(sum(l.input_tokens), 0), 'output', coalesce(sum(l.output_tokens), 0),
                                'cached', coalesce(sum(l.cached_input_tokens), 0),
                                'written', coalesce(sum(l.cache_write_tokens), 0),
                                'time', max(l.response_time_ms),
                                'model', CASE WHEN min(l.model) = max(l.model) THEN min(l.model) END) AS computed
      FROM workflow_log l WHERE l.conversation_id = c.id
    ) AS l
    WHERE stored <> computed`;
}
