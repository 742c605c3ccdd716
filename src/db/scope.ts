import type { EnvironmentKind } from '../contract/statuses.ts';

/** The environment that a caller reads and writes. */
export interface EnvironmentRef {
  readonly id: string;
  readonly kind: EnvironmentKind;
  readonly workspaceId: string;
}

/**
 * The rows that a statement can see. Connections use a role that row-level security applies to. The policies read the
 * settings of the scope, so a statement without a scope sees no tenant rows.
 */
export interface Scope {
  readonly kind: 'system' | 'environment';
  /** A prepared statement of `PREPARATION` that applies the settings to the current transaction, and its parameters. */
  readonly statement: string;
  /** Its text, if it is not prepared because a pooler keeps no session. */
  readonly text?: string;
  readonly values: readonly string[];
  /** The same as SQL text, to send with BEGIN. It takes no snapshot, so the isolation level can still be set. */
  readonly settings: string;
  /** A condition of all writes in the scope. */
  readonly guard?: Guard;
}

/**
 * A statement that runs before a write, in the transaction of the write. If it fails, the write has no effect. It has no
 * rows. It can lock rows until the commit.
 */
export interface Guard {
  readonly text: string;
  readonly values: readonly string[];
  /** The code (SQLSTATE) of its failure. */
  readonly failure: string;
  /** The error of the caller after a failure. */
  error(): Error;
}

/** Runs once per connection. The conditions are never true, so the driver has no row to parse. */
export const PREPARATION = `
  PREPARE parley_environment (text, text) AS SELECT
    WHERE set_config('parley.environment', $1, true) IS NULL OR set_config('parley.workspace', $2, true) IS NULL;
  PREPARE parley_system AS SELECT WHERE set_config('role', 'none', true) IS NULL`;

/**
 * All tenants: for credentials, recovery, background jobs, the command line and the first start. The statement runs as
 * the connected user, whom the policies do not restrict.
 */
export const SYSTEM_SCOPE: Scope = {
  kind: 'system',
  statement: 'parley_system',
  values: [],
  settings: 'SET LOCAL ROLE none',
};

/** The rows of one environment, and of its workspace. */
export function environmentScope(
  { id, workspaceId }: Pick<EnvironmentRef, 'id' | 'workspaceId'>,
  guard?: Guard,
): Scope {
  // Both become part of SQL text.
  for (const value of [id, workspaceId]) if (!UUID.test(value)) throw new Error(`${value} is not a UUID.`);
  return {
    kind: 'environment',
    statement: 'parley_environment',
    values: [id, workspaceId],
    settings: `SET LOCAL parley.environment = '${id}'; SET LOCAL parley.workspace = '${workspaceId}'`,
    ...(guard && { guard }),
  };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Settings that change what a statement means, or how the server writes values as text. A database or a user can have
 * others (`ALTER DATABASE … SET`), so each connection sets them. Timeouts, `default_transaction_read_only` and the settings
 * of the planner stay as the operator has set them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // adapter-pg writes timestamps in the session's time zone.
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  row_security: 'on',
  // A search would return some of the matches.
  gin_fuzzy_search_limit: '0',
  // Prisma names the schema in its statements. Others do not.
  search_path: 'public',
};

const assignments = Object.entries(SETTINGS).map(([name, value]) => `${name} = '${value}'`);

/** SQL text, once per connection that keeps its session. */
export const SESSION_SETTINGS = [...assignments, "default_transaction_isolation = 'read committed'"]
  .map((assignment) => `SET ${assignment}`)
  .join('; ');

/**
 * SQL text, for one transaction that waits for the row locks of others. `set_config` would take a snapshot, after which the
 * level cannot change, and `SET LOCAL` warns outside a transaction block. The level ends with its transaction either way.
 */
export const READ_COMMITTED = "SET transaction_isolation = 'read committed'";

/** SQL text after BEGIN. It takes no snapshot. */
export const TRANSACTION_SETTINGS = [
  READ_COMMITTED,
  ...assignments.map((assignment) => `SET LOCAL ${assignment}`),
].join('; ');

/** The same without the isolation level, as conditions of a SELECT. They are never true. */
export const SETTING_CONDITIONS = Object.entries(SETTINGS).map(
  ([name, value]) => `set_config('${name}', '${value}', true) IS NULL`,
);

/** Time limits of an operator are meant for the statements of requests: they must not end the creation of an index. */
export const WITHOUT_TIME_LIMITS = `SELECT set_config(name, '0', false) FROM pg_settings
  WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout',
                 'idle_in_transaction_session_timeout', 'idle_session_timeout')`;
