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
export function environmentScope({ id, workspaceId }: Pick<EnvironmentRef, 'id' | 'workspaceId'>): Scope {
  // Both become part of SQL text.
  for (const value of [id, workspaceId]) if (!UUID.test(value)) throw new Error(`${value} is not a UUID.`);
  return {
    kind: 'environment',
    statement: 'parley_environment',
    values: [id, workspaceId],
    settings: `SET LOCAL parley.environment = '${id}'; SET LOCAL parley.workspace = '${workspaceId}'`,
  };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
