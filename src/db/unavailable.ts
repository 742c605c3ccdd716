import { isCausedBy } from './error-codes.ts';

/** Codes of Node.js, PostgreSQL and Prisma for a database that cannot be reached or cannot write. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  // The process or the machine has no file descriptor left for a connection.
  'EMFILE',
  'ENFILE',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // admin_shutdown, crash_shutdown, cannot_connect_now
  '57P01',
  '57P02',
  '57P03',
  // connection_failure: a worker of a distributed database is away
  '08006',
  // protocol_violation: PgBouncer's code if its server is away, or if no connection to it was free in time
  '08P01',
  // read_only_sql_transaction, as after a failover
  '25006',
  // disk_full, out_of_memory, too_many_connections, io_error
  '53100',
  '53200',
  '53300',
  '58030',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
]);

/** Error kinds of Prisma's driver adapter. */
const KINDS = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections']);

/** Errors that `pg` and `pg-pool` report only by message. A test causes each of them with the installed version. */
const DRIVER_MESSAGES = new Set([
  'Cannot use a pool after calling end on the pool',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
]);

/** Whether an error means that the database is away or cannot write. Checks the error and its causes. */
export function isUnavailable(error: unknown): boolean {
  return isCausedBy(
    error,
    ({ code, originalCode, kind, message }) =>
      isIn(CODES, code) || isIn(CODES, originalCode) || isIn(KINDS, kind) || isIn(DRIVER_MESSAGES, message),
  );
}

function isIn(values: ReadonlySet<string>, value: unknown): boolean {
  return typeof value === 'string' && values.has(value);
}
