import type { UnboundTable } from './statement-tables.ts';

// What a distributed PostgreSQL would reject, or answer by asking several servers. A test fails if a row is missing, and if a
// row is no longer needed.

interface StatementException extends Pick<UnboundTable, 'table'> {
  /** A part of the query, as `unboundTables` returns it. */
  readonly query: string;
  /** Why the statement does not name one environment, and what has to change. */
  readonly because: string;
}

const ONLY_ID =
  'The address of a caller without credentials has only the ID, by which an index of every server finds the row. Its environment is known after that.';

export const STATEMENT_EXCEPTIONS: readonly StatementException[] = [
  { table: 'trigger', query: 'FROM trigger t WHERE t.deployment_id = dep.id', because: ONLY_ID },
  { table: 'conversation', query: 'FROM conversation WHERE id = $::uuid AND end_user IS', because: ONLY_ID },
];

const WORK =
  'It finds environments with work, or their rows, in all of them. It changes and locks nothing, so every server can answer. Statements for one environment each then check the rows again.';
const COUNT = 'It counts for metrics and readiness. It changes and locks nothing, so every server can answer.';

/** Reads of all environments. A distributed PostgreSQL asks every server. A test fails if one changes or locks a row. */
export const FINDERS: readonly StatementException[] = [
  { table: 'run', query: 'ORDER BY random() LIMIT 100', because: WORK },
  {
    table: 'run',
    query: "lease_expires_at = to_timestamp(0) AS abandoned FROM run WHERE status = ''",
    because: WORK,
  },
  { table: 'queued_turn', query: 'abandoned FROM queued_turn WHERE true', because: WORK },
  { table: 'run', query: "FROM run WHERE status = '' AND (lease_expires_at IS NULL OR", because: COUNT },
  { table: 'timeline_item', query: 'JOIN environment e ON e.id = i.environment_id', because: WORK },
  {
    table: 'webhook_endpoint',
    query: 'FROM webhook_endpoint WHERE enabled GROUP BY environment_id',
    because: WORK,
  },
  { table: 'conversation', query: 'WHERE c.handling_until <= now() ORDER BY c.handling_until', because: WORK },
  {
    table: 'conversation',
    query: "WHERE c.handling <> '' AND c.handling = '' AND c.handling_until > now()",
    because: WORK,
  },
  { table: 'conversation', query: 'WHERE c.owes_answer AND NOT EXISTS', because: WORK },
  { table: 'conversation_presence', query: 'SELECT DISTINCT p.environment_id', because: WORK },
  { table: 'webhook_endpoint', query: 'GROUP BY w.environment_id ORDER BY random()', because: WORK },
  { table: 'webhook_endpoint', query: 'FROM webhook_endpoint w CROSS JOIN LATERAL (#) AS next', because: WORK },
  {
    table: 'webhook_delivery',
    query: "FROM webhook_delivery WHERE status <> '' AND finished_at < now()",
    because: WORK,
  },
  { table: 'webhook_replay', query: 'FROM webhook_replay WHERE created_at < now()', because: WORK },
  { table: 'idempotency_record', query: 'FROM idempotency_record WHERE expires_at <= now() LIMIT', because: WORK },
  { table: 'live_text', query: 'SELECT DISTINCT live_text.environment_id', because: WORK },
  {
    table: 'timeline_item',
    query:
      "FROM timeline_item i JOIN run r ON r.id = i.run_id AND r.environment_id = i.environment_id AND r.status = '' LEFT JOIN budget b",
    because: WORK,
  },
  {
    table: 'run',
    query:
      "FROM timeline_item i JOIN run r ON r.id = i.run_id AND r.environment_id = i.environment_id AND r.status = '' LEFT JOIN budget b",
    because: WORK,
  },
  {
    table: 'budget',
    query:
      "FROM timeline_item i JOIN run r ON r.id = i.run_id AND r.environment_id = i.environment_id AND r.status = '' LEFT JOIN budget b",
    because: WORK,
  },
  { table: 'budget_reservation', query: 'FROM budget_reservation WHERE expires_at < now() LIMIT', because: WORK },
  {
    table: 'budget',
    query: "FROM budget b WHERE b.is_default AND b.place LIKE '' AND b.created_at < now()",
    because: WORK,
  },
  { table: 'conversation_count', query: 'SELECT DISTINCT environment_id FROM conversation_count', because: WORK },
  { table: 'file', query: 'FROM file WHERE used_at IS NULL AND expires_at <= now()', because: WORK },
  { table: 'file_removal', query: 'FROM file_removal WHERE remove_after <= now() ORDER BY', because: WORK },
];

const LEASES =
  'A process renews all of its leases with one statement, whose number does not grow with that of the environments. A distributed PostgreSQL that rejects row locks on several servers needs one statement for each environment.';
const TEXT =
  'A process stores the text of all its turns with one statement, at most every 50 ms. The rows of an environment come from rows of the same server.';

/** Changes of the listed environments. */
export const PRUNED: readonly StatementException[] = [
  {
    table: 'run',
    query: 'FROM run WHERE environment_id = ANY ($::uuid[]) AND (environment_id, id) IN (#)',
    because: LEASES,
  },
  { table: 'run', query: 'UPDATE run SET lease_expires_at', because: LEASES },
  {
    table: 'queued_turn',
    query: 'FROM queued_turn WHERE environment_id = ANY ($::uuid[]) AND (environment_id, run_id) IN (#)',
    because: LEASES,
  },
  { table: 'queued_turn', query: 'UPDATE queued_turn SET lease_expires_at', because: LEASES },
  {
    table: 'idempotency_record',
    query: 'FROM idempotency_record WHERE environment_id = ANY ($::uuid[]) AND (environment_id, key) IN (#)',
    because: LEASES,
  },
  { table: 'idempotency_record', query: 'UPDATE idempotency_record SET lease_expires_at', because: LEASES },
  { table: 'run', query: 'INSERT INTO live_text', because: TEXT },
];

interface NameExceptions {
  readonly because: string;
  readonly names: readonly string[];
}

/** Keys without the environment, by the name of the constraint or the index. */
export const KEY_EXCEPTIONS: readonly NameExceptions[] = [
  {
    because:
      'A public address has only the ID. It is random, so a distributed database can have an index that is not unique.',
    names: ['conversation_id_key', 'trigger_id_key'],
  },
  {
    because:
      'Statements and URLs of the previous release, which serves during an upgrade, need them. The next release drops them.',
    names: [
      'document_calls_document_id_day_key',
      'file_id_key',
      'file_removal_prefix_key',
      'webhook_delivery_endpoint_id_event_id_key',
    ],
  },
];

/** Columns whose default comes from the server, and sequences that belong to no column. */
export const SERVER_EXCEPTIONS: readonly NameExceptions[] = [
  {
    because:
      'The log is ordered by transaction IDs of one server. Its rows stay on one server as long as their environment does. Moving an environment has to raise the offset of the log, like a restore.',
    names: ['conversation.xid', 'event.xid', 'webhook_endpoint.position_xid', 'webhook_endpoint.since'],
  },
  {
    because:
      'The order matters only within a conversation or an endpoint. A server with lower values must not get the environment: its sequences have to be raised first.',
    names: [
      'file_use.id',
      'queued_turn.position',
      'timeline_item.id',
      'webhook_attempt.id',
      'webhook_delivery.id',
      'webhook_replay.id',
      'workflow_log.id',
      'timeline_revision',
    ],
  },
];
