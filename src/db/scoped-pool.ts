import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Scope } from './scope.ts';
import { ScopedQuery } from './scoped-query.ts';

/** The scope of the current Prisma call. Prisma offers no way to pass it to the driver. */
const prismaScope = new AsyncLocalStorage<Scope>();

let activeCalls = 0;

/** Runs `call`, which calls Prisma, in a scope. */
export async function inScope<T>(scope: Scope, call: () => PromiseLike<T>): Promise<T> {
  activeCalls += 1;
  try {
    return await prismaScope.run(scope, async () => call());
  } finally {
    activeCalls -= 1;
    // Before Node.js 24 an enabled storage slows down every promise of the process.
    if (activeCalls === 0) prismaScope.disable();
  }
}

/** The scope of the current Prisma call, if any. */
export function currentScope(): Scope | undefined {
  return prismaScope.getStore();
}

/**
 * The pool that Prisma's adapter uses. Each statement and each transaction gets the scope that `scopeOf` returns.
 * Statements without a scope see no tenant rows.
 */
export function scopedPool(pool: pg.Pool, scopeOf: () => Scope | undefined): pg.Pool {
  const query = (config: pg.QueryConfig) => {
    const scope = scopeOf();
    return scope ? pool.query(new ScopedQuery(config, scope) as unknown as pg.QueryConfig) : pool.query(config);
  };
  const connect = async () => {
    const scope = scopeOf();
    const client = await pool.connect();
    return scope ? scopeTransaction(client, scope) : client;
  };
  return Object.create(pool, { query: { value: query }, connect: { value: connect } });
}

/** Adds the settings of the scope to BEGIN, which is the first statement that the adapter sends. */
function scopeTransaction(client: pg.PoolClient, scope: Scope): pg.PoolClient {
  const query = (config: pg.QueryConfig) => {
    delete (client as Partial<pg.PoolClient>).query;
    return client.query(config.text === 'BEGIN' ? { text: `BEGIN; ${scope.settings}` } : config);
  };
  return Object.assign(client, { query });
}
