import type { UnboundTable } from './statement-tables.ts';

// What a distributed PostgreSQL would reject, or answer by asking every server. A test fails if a row is missing, and if a
// row is no longer needed.

interface StatementException extends UnboundTable {
  /** A part of the query, as `unboundTables` returns it. */
  readonly query: string;
  /** Why the statement names no environment, and what has to change. */
  readonly because: string;
}

const BACKGROUND =
  'A background task of all environments. It has to run once for each server, or keep a list of environments with work in a reference table.';
const SEVERAL = 'One statement for several environments. It has to become one statement for each environment.';
const TO_ONE =
  'Prisma loads the row of a to-one relation by its ID. The foreign key has to contain the environment, like the primary key.';
const BY_SECRET =
  'The token names no environment. Its text has to contain the environment, or its hash needs a reference table.';
const LEASES = 'A process renews all of its leases with one statement. It has to group them by environment.';

export const STATEMENT_EXCEPTIONS: readonly StatementException[] = [
  { table: 'end_user_token', query: 'FROM end_user_token t', because: BY_SECRET },
  { table: 'retention', query: 'retention.environment_id = e.id', because: BY_SECRET },
  {
    table: 'trigger',
    query: 'trigger.id = $ AND trigger.deployment_id = $',
    because: 'A public read: the address has only deployment and trigger. The trigger ID has to name the environment.',
  },
  { table: 'run', query: 'ORDER BY random() LIMIT 100', because: BACKGROUND },
  { table: 'run', query: "FROM run WHERE status = '' AND (lease_expires_at < now()", because: BACKGROUND },
  { table: 'queued_turn', query: 'FROM queued_turn WHERE true AND (lease_expires_at < now()', because: BACKGROUND },
  { table: 'timeline_item', query: 'JOIN environment e ON e.id = i.environment_id', because: BACKGROUND },
  { table: 'run', query: 'FROM timeline_item i JOIN run r ON r.id = i.run_id', because: BACKGROUND },
  {
    table: 'webhook_endpoint',
    query: 'FROM webhook_endpoint WHERE enabled GROUP BY environment_id',
    because: BACKGROUND,
  },
  { table: 'webhook_endpoint', query: 'FROM webhook_endpoint w WHERE w.environment_id = ANY', because: SEVERAL },
  { table: 'webhook_endpoint', query: 'FROM webhook_endpoint w CROSS JOIN LATERAL', because: SEVERAL },
  { table: 'event', query: 'WHERE e.environment_id = environment.id AND e.xid >= (#)', because: SEVERAL },
  { table: 'run', query: 'INSERT INTO live_text', because: SEVERAL },
  { table: 'run', query: "FROM run WHERE id = ANY ($::uuid[]) AND status = '' AND lease_owner", because: LEASES },
  { table: 'run', query: 'UPDATE run SET lease_expires_at', because: LEASES },
  {
    table: 'idempotency_record',
    query: 'FROM idempotency_record WHERE (environment_id, key) IN (#) AND lease_owner',
    because: LEASES,
  },
  { table: 'idempotency_record', query: 'UPDATE idempotency_record SET lease_expires_at', because: LEASES },
  { table: 'event', query: 'FROM event WHERE event.id IN', because: TO_ONE },
  { table: 'webhook_endpoint', query: 'FROM webhook_endpoint WHERE webhook_endpoint.id IN', because: TO_ONE },
  { table: 'run', query: 'FROM run WHERE run.id IN', because: TO_ONE },
  { table: 'file_use', query: 'FROM file_use AS t0 WHERE (t0.conversation_id', because: TO_ONE },
];

interface NameExceptions {
  readonly because: string;
  readonly names: readonly string[];
}

/** Keys without the environment, by the name of the constraint or the index. */
export const KEY_EXCEPTIONS: readonly NameExceptions[] = [
  {
    because:
      'Statements of the previous release, which serves during an upgrade, need them. The next release drops them, and `parley distribute` too.',
    names: [
      'conversation_id_key',
      'document_calls_document_id_day_key',
      'file_id_key',
      'file_removal_prefix_key',
      'trigger_id_key',
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
