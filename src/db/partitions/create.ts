import type { OwnerConnection } from '../as-owner.ts';
import { firstIdOf, type PartitionedLog, partitionName, periodAt } from './periods.ts';
import { inBriefTransaction, readPartitions } from './state.ts';

/** How many periods have a partition before they begin. */
const AHEAD = 2;

/** SQLSTATE: the default partition has rows of the period. */
const CHECK_VIOLATION = '23514';

/** What happened to the missing partitions. */
interface Created {
  /** Their names. */
  readonly created: readonly string[];
  /** The names and ranges of those that rows in the default partition prevent. */
  readonly prevented: readonly string[];
}

/** Creates the missing partitions of the current period and of the next ones. */
export async function createPartitions(connection: OwnerConnection, log: PartitionedLog, now: Date): Promise<Created> {
  const existing = await readPartitions(connection, log);
  const current = periodAt(log, now);
  const created: string[] = [];
  const prevented: string[] = [];
  for (let period = current; period <= current + AHEAD; period += 1) {
    if (existing.some(({ from, to }) => (from === null || from <= period) && period < to)) continue;
    const isCreated = await inBriefTransaction(connection, () => createPartition(connection, log, period)).then(
      () => true,
      (error: { readonly code?: unknown }) => {
        if (error.code === CHECK_VIOLATION) return false;
        throw error;
      },
    );
    if (isCreated) created.push(partitionName(log, period));
    else prevented.push(`${partitionName(log, period)} ${rangeOf(log, period)}`);
  }
  return { created, prevented };
}

/**
 * A table that is attached, because CREATE TABLE … PARTITION OF would block the log. The partition inherits indexes, foreign
 * keys and triggers for rows. Row-level security and triggers for TRUNCATE protect only the table that a statement names.
 */
async function createPartition(connection: OwnerConnection, log: PartitionedLog, period: number): Promise<void> {
  const { table, related } = log;
  const name = partitionName(log, period);
  await connection.query(`LOCK TABLE ${related.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
  await connection.query(`CREATE TABLE public.${name} (LIKE public.${table} INCLUDING INDEXES INCLUDING CONSTRAINTS)`);
  await connection.query(`
    DO $$
    DECLARE
      statement text;
    BEGIN
      FOR statement IN
        SELECT format('ALTER TABLE public.${name} ENABLE ROW LEVEL SECURITY')
        UNION ALL
        SELECT format('CREATE POLICY %I ON public.${name} USING (%s)', polname, pg_get_expr(polqual, polrelid))
        FROM pg_policy WHERE polrelid = 'public.${table}'::regclass
        UNION ALL
        SELECT format('CREATE TRIGGER %I BEFORE TRUNCATE ON public.${name} FOR EACH STATEMENT EXECUTE FUNCTION %s()',
                      tgname, tgfoid::regproc)
        FROM pg_trigger WHERE tgrelid = 'public.${table}'::regclass AND NOT tgisinternal AND tgtype & 32 <> 0
      LOOP
        EXECUTE statement;
      END LOOP;
    END $$`);
  await connection.query(
    `ALTER TABLE public.${table} ATTACH PARTITION public.${name}
     ${rangeOf(log, period)}`,
  );
}

function rangeOf(log: PartitionedLog, period: number): string {
  return `FOR VALUES FROM ('${firstIdOf(log, period)}') TO ('${firstIdOf(log, period + 1)}')`;
}

/**
 * Moves the sequence of a log to the first ID of the current period, if the period has a partition. Until then rows get IDs of
 * the period before, whose partition still exists, so an insert never fails. The sequence never moves back: IDs stay unique.
 */
export async function beginPeriod(connection: OwnerConnection, log: PartitionedLog, now: Date): Promise<void> {
  if (!log.ids.hasSequence) return;
  const period = periodAt(log, now);
  const partitions = await readPartitions(connection, log);
  if (!partitions.some(({ from }) => from === period)) return;
  const sequence = `public.${log.table}_id_seq`;
  await connection.query(`SELECT setval('${sequence}', $1, false) FROM ${sequence} WHERE last_value < $1`, [
    firstIdOf(log, period),
  ]);
}
