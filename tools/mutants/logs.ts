import type { Mutant } from './mutant.ts';

const CREATE = 'db/partitions/create.ts';
const DROP = 'db/partitions/drop.ts';
const RULES = 'domain/retention/log-rules.ts';
const MAINTAIN = 'domain/retention/maintain-logs.ts';
const PARTITIONS_TEST = 'db/partitions.test.ts';
const DROPS_TEST = 'db/partition-drops.test.ts';
const RETENTION_TEST = 'db/partition-retention.test.ts';

/** Guards of the partitions of the logs. */
export const LOGS: readonly Mutant[] = [
  {
    name: 'a new partition of a log has no policies',
    file: CREATE,
    find: `FROM pg_policy WHERE polrelid = 'public.\${table}'::regclass`,
    replace: 'FROM pg_policy WHERE false',
    test: PARTITIONS_TEST,
  },
  {
    name: 'a new partition of a log has no row-level security',
    file: CREATE,
    find: 'ENABLE ROW LEVEL SECURITY',
    replace: 'DISABLE ROW LEVEL SECURITY',
    test: PARTITIONS_TEST,
  },
  {
    name: 'a new partition of the audit log can be emptied',
    file: CREATE,
    find: 'AND tgtype & 32 <> 0',
    replace: 'AND false',
    test: PARTITIONS_TEST,
  },
  {
    name: 'only the current period of a log gets a partition',
    file: CREATE,
    find: 'const AHEAD = 2;',
    replace: 'const AHEAD = 0;',
    test: PARTITIONS_TEST,
  },
  {
    name: 'the sequence of a partitioned log moves back',
    file: CREATE,
    find: ' WHERE last_value < $1`',
    replace: '`',
    test: PARTITIONS_TEST,
  },
  {
    name: 'the sequence of a log moves to a period without a partition',
    file: CREATE,
    find: 'if (!partitions.some(({ from }) => from === period)) return;',
    replace: '',
    test: PARTITIONS_TEST,
  },
  {
    name: 'a change of partitions waits for a lock without a limit',
    file: 'db/partitions/state.ts',
    find: '; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`',
    replace: '`',
    test: DROPS_TEST,
  },
  {
    name: 'the partition that gets new rows is dropped',
    file: DROP,
    find: 'partition.to > last || ',
    replace: '',
    test: DROPS_TEST,
  },
  {
    name: 'a partition is dropped before its period is older than the retention',
    file: DROP,
    find: ' || startOf(log, partition.to).getTime() > endedBefore',
    replace: '',
    test: DROPS_TEST,
  },
  {
    name: 'a partition is dropped without a last look at its rows',
    file: DROP,
    find: 'if (await rule.keepsRows(connection, partition)) return false;',
    replace: '',
    test: DROPS_TEST,
  },
  {
    name: 'a partition is dropped before its last writers have committed',
    file: DROP,
    find: 'await awaitWriters(connection, log);',
    replace: '',
    test: DROPS_TEST,
  },
  {
    name: 'a retention can change while a partition is dropped',
    file: RULES,
    find: ' FOR SHARE`',
    replace: '`',
    test: DROPS_TEST,
  },
  {
    name: 'a partition with lines of a stored conversation is dropped',
    file: RULES,
    find: 'l.conversation_id IS NOT NULL OR ',
    replace: '',
    test: RETENTION_TEST,
  },
  {
    name: 'a partition with lines of an environment without a retention is dropped',
    file: RULES,
    find: 'r.days IS NULL\n',
    replace: 'false\n',
    test: RETENTION_TEST,
  },
  {
    name: 'a partition with lines of an environment with a longer retention is dropped',
    file: RULES,
    find: 'greatest(r.days, $2)',
    replace: '$2',
    test: RETENTION_TEST,
  },
  {
    name: 'two processes change the partitions of a log at once',
    file: MAINTAIN,
    find: 'if (!row?.locked) return;',
    replace: 'if (!row) return;',
    test: DROPS_TEST,
  },
  {
    name: 'no process maintains the partitions of the logs',
    file: 'domain/retention/sweeper.ts',
    find: "this.#tasks.every(LOGS_MS, 'the logs could not be maintained', (stopped) => maintainLogs(this.#parts, stopped));",
    replace: '',
    test: 'spec/log-maintenance.test.ts',
  },
  {
    name: 'AUDIT_LOG_DAYS has no effect on the partitions of the audit log',
    file: 'service.ts',
    find: 'auditLogDays: config.auditLogDays,',
    replace: 'auditLogDays: undefined,',
    test: 'spec/log-maintenance.test.ts',
  },
  {
    name: 'an index of a partitioned table is created at once',
    file: 'db/apply-migration.ts',
    find: 'if (!(await createPartitionedIndex(connection, statement, run))) await run(statement);',
    replace: 'await run(statement);',
    test: 'db/migrate.test.ts',
  },
];
