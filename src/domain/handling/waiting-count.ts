import { keptFor } from '../../cache/kept-for.ts';
import type { SystemSql } from '../../db/sql.ts';
import type { WaitingConversations } from '../telemetry.ts';
import { WAITS_FOR_PERSON } from './report.ts';

/** How long a count is returned again. With many waiting conversations it takes tens of milliseconds. */
const CACHE_MS = 10_000;

interface CounterParts {
  readonly sql: SystemSql;
  readonly monotonicMs: () => number;
}

/** Counts the conversations that wait for a person. The result fails if the database does not respond. */
export function waitingCounter({ sql, monotonicMs }: CounterParts): () => Promise<WaitingConversations> {
  return keptFor(CACHE_MS, monotonicMs, async () => {
    const [counted] = await sql.rows<WaitingConversations>`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(handling_since)), 0)::float8 AS "oldestSeconds"
      FROM conversation WHERE ${WAITS_FOR_PERSON}`;
    return counted ?? { count: 0, oldestSeconds: 0 };
  });
}
