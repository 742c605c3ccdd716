import type { Mutant } from './mutant.ts';

const RULES = 'domain/retention/log-rules.ts';
const EVENTS_TEST = 'db/event-partitions.test.ts';
const EVENT_RETENTION_TEST = 'db/event-retention.test.ts';

/** Guards of the partitions of the event log. */
export const EVENT_LOG: readonly Mutant[] = [
  {
    name: 'rows in the default partition of a log end its maintenance',
    file: 'db/partitions/create.ts',
    find: 'if (error.code === CHECK_VIOLATION) return false;',
    replace: '',
    test: EVENTS_TEST,
  },
  {
    name: 'the ranges of the event log are those of other IDs',
    file: 'db/partitions/periods.ts',
    find: "firstTypeIdAt('evt', startOf(log, period))",
    replace: "firstTypeIdAt('evt', startOf(log, period + 1))",
    test: EVENTS_TEST,
  },
  {
    name: 'an operator does not learn that rows prevent a partition',
    file: 'domain/retention/maintain-logs.ts',
    find: 'if (prevented.length > 0)',
    replace: 'if (prevented.length > 9)',
    test: EVENTS_TEST,
  },
  {
    name: 'a partition with events of pending deliveries is dropped',
    file: RULES,
    find: "`FROM webhook_delivery WHERE status = 'pending' AND event_id >= $1",
    replace: '`FROM webhook_delivery WHERE false AND event_id >= $1',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'a partition with events that an endpoint has not read is dropped',
    file: RULES,
    find: ') newest ON (newest.xid, newest.id) > (w.position_xid, w.position_id) WHERE w.enabled',
    replace: ') newest ON false',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'an endpoint that is disabled keeps events',
    file: RULES,
    find: ' WHERE w.enabled`',
    replace: '`',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'an endpoint keeps the events of other environments',
    file: RULES,
    find: 'WHERE e.environment_id = w.environment_id ORDER BY',
    replace: 'ORDER BY',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'the newest events are dropped',
    file: RULES,
    find: "!(await exists(connection, 'FROM event WHERE id >= $1', range.slice(1)))",
    replace: 'false',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'one batch of the deliveries of old events is deleted before the locks',
    file: RULES,
    find: '=== DELIVERY_BATCH);',
    replace: '=== -1);',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'events and deliveries change while their partition is dropped',
    file: RULES,
    find: "await connection.query('LOCK TABLE ONLY webhook_delivery, ONLY event IN ACCESS EXCLUSIVE MODE');",
    replace: '',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'deliveries of the last moment prevent the drop of a partition',
    file: RULES,
    find: "await deleteFinished(connection, rangeOf(EVENT_LOG, partition, ''), null);",
    replace: '',
    test: EVENT_RETENTION_TEST,
  },
  {
    name: 'EVENT_LOG_DAYS has no effect on the partitions of the event log',
    file: 'service.ts',
    find: 'eventLogDays: config.eventLogDays,',
    replace: 'eventLogDays: undefined,',
    test: 'spec/log-maintenance.test.ts',
  },
];
