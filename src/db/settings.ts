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
