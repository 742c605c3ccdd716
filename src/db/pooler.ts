import pg from 'pg';
import { type Scope, SETTING_CONDITIONS, TRANSACTION_SETTINGS } from './scope.ts';
import { ScopedQuery } from './scoped-query.ts';

/**
 * The scopes of statements that go through a pooler in transaction mode. Each transaction can have another session there, so
 * a session has neither a role nor prepared statements: each transaction begins with its own settings.
 */
export interface PoolerScopes {
  of(scope: Scope): Scope;
  /** For statements that name no scope. They see no tenant rows. */
  readonly unscoped: Scope;
}

/** `role` is the one that row-level security applies to. Undefined if the connected user cannot switch to it. */
export function poolerScopes(role: string | undefined): PoolerScopes {
  const common = SETTING_CONDITIONS;
  const restricted = role === undefined ? common : [`set_config('role', '${role}', true) IS NULL`, ...common];
  const settings = `${TRANSACTION_SETTINGS}; SET LOCAL ROLE ${role ?? 'none'}`;
  const system = { statement: '', text: `SELECT WHERE ${common.join(' OR ')}`, settings: TRANSACTION_SETTINGS };
  const environment = [
    ...restricted,
    "set_config('parley.environment', $1, true) IS NULL",
    "set_config('parley.workspace', $2, true) IS NULL",
  ].join(' OR ');
  return {
    of: (scope) =>
      scope.kind === 'system'
        ? { ...scope, ...system }
        : {
            ...scope,
            statement: '',
            text: `SELECT WHERE ${environment}`,
            settings: `${settings}; ${scope.settings}`,
          },
    unscoped: {
      kind: 'environment',
      values: [],
      statement: '',
      text: `SELECT WHERE ${restricted.join(' OR ')}`,
      settings,
    },
  };
}

/** A pool of connections to the pooler. Statements that name no scope see no tenant rows, as on connections with a session. */
export function poolerPool(config: pg.PoolConfig, { unscoped }: PoolerScopes): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: UnpreparedClient } as pg.PoolConfig);
  const send = pool.query.bind(pool) as (query: unknown) => unknown;
  const query = (input: string | pg.QueryConfig | ScopedQuery, values: unknown[] = []) => {
    if (input instanceof ScopedQuery) return send(input);
    return send(
      new ScopedQuery(typeof input === 'string' ? { text: input, values } : { ...input, name: '' }, unscoped),
    );
  };
  return Object.assign(pool, { query });
}

/** A connection that prepares no statement under a name: the next transaction would not find it. */
class UnpreparedClient extends pg.Client {
  // The types of `pg` have an overload for each form of a query.
  override query(...args: unknown[]): never {
    const [query] = args;
    // A query object of the driver keeps its identity.
    if (isNamed(query)) args[0] = 'submit' in query ? Object.assign(query, { name: '' }) : { ...query, name: '' };
    return Reflect.apply(super.query, this, args) as never;
  }
}

function isNamed(query: unknown): query is { readonly name: string } {
  return typeof query === 'object' && query !== null && 'name' in query;
}
