import { LIMITS } from '../../contract/limits.ts';
import type { SystemSql } from '../../db/sql.ts';
import type { Log } from '../telemetry.ts';
import { addDuration } from './durations.ts';

const FLUSH_INTERVAL_MS = 5_000;

/** Documents whose calls wait to be stored. Further ones are stored first. */
const MAX_WAITING = 1_000;

interface Count {
  readonly environmentId: string;
  calls: number;
  errors: number;
  totalMs: number;
  readonly durations: number[];
  lastCalledAt: Date;
}

/** A finished call of a document. */
export interface DocumentCall {
  readonly environmentId: string;
  readonly documentId: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

const emptyCount = (environmentId: string): Count => ({
  ...{ environmentId, calls: 0, errors: 0, totalMs: 0, durations: [], lastCalledAt: new Date() },
});

/** Counts the calls of documents in memory, and stores the counts in the background. It never delays or fails a call. */
export class CallCounter {
  readonly #sql: SystemSql;
  readonly #log: Log;
  #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(sql: SystemSql, log: Log) {
    this.#sql = sql;
    this.#log = log;
  }

  record({ environmentId, documentId, isError, durationMs }: DocumentCall): void {
    const count = this.#counts.get(documentId) ?? emptyCount(environmentId);
    count.calls += 1;
    if (isError) count.errors += 1;
    count.totalMs += durationMs;
    addDuration(count.durations, durationMs);
    count.lastCalledAt = new Date();
    this.#counts.set(documentId, count);
    if (this.#counts.size >= MAX_WAITING) void this.flush();
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  /** Stores the counts so far. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts];
    this.#counts = new Map();
    for (const environmentId of new Set(counts.map(([, count]) => count.environmentId))) {
      const own = counts.filter(([, count]) => count.environmentId === environmentId);
      this.#storing = this.#storing.then(() => this.#store(environmentId, own));
    }
    return this.#storing;
  }

  close(): Promise<void> {
    return this.flush();
  }

  /** Counts of unpublished documents are dropped. Each statement also deletes the oldest days of its documents. */
  async #store(environmentId: string, counts: readonly (readonly [string, Count])[]): Promise<void> {
    const rows = JSON.stringify(
      counts.map(([id, { calls, errors, totalMs, durations, lastCalledAt }]) => ({
        ...{ id, calls, errors, total: totalMs, classes: durations, last: lastCalledAt },
      })),
    );
    try {
      await this.#sql.execute`
        WITH counted AS (
          SELECT * FROM jsonb_to_recordset(${rows}::jsonb)
            AS row (id text, calls int, errors int, total float8, classes int[], last timestamptz)
        ), expired AS (
          DELETE FROM document_calls USING counted
          WHERE environment_id = ${environmentId}::uuid AND document_id = id
            AND day <= (now() AT TIME ZONE 'UTC')::date - ${LIMITS.documentCallDays}::int
        )
        INSERT INTO document_calls AS stored
          (document_id, day, environment_id, calls, errors, total_ms, durations, last_called_at)
        SELECT d.id, (last AT TIME ZONE 'UTC')::date, d.environment_id, calls, errors, total, classes, last
        FROM counted JOIN published_document d ON d.id = counted.id AND d.environment_id = ${environmentId}::uuid
        ORDER BY d.id
        ON CONFLICT (environment_id, document_id, day) DO UPDATE SET
          calls = stored.calls + excluded.calls,
          errors = stored.errors + excluded.errors,
          total_ms = stored.total_ms + excluded.total_ms,
          durations = ARRAY(
            SELECT coalesce(old, 0) + coalesce(new, 0)
            FROM unnest(stored.durations, excluded.durations) WITH ORDINALITY AS class (old, new, position)
            ORDER BY position
          ),
          last_called_at = greatest(stored.last_called_at, excluded.last_called_at)`;
    } catch (error) {
      this.#log.error({ err: error }, 'the calls of documents could not be counted');
    }
  }
}
