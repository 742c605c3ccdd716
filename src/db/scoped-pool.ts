import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { isBypassOn } from '../contract/bypasses.ts';
import { hasErrorCode } from './error-codes.ts';
import { clientIsPropagating } from './propagation.ts';
import type { Guard, Scope } from './scope.ts';
import { canWrite, guardOf, ScopedQuery, type StatementConfig } from './scoped-query.ts';

/** The scope of the current Prisma call. Prisma offers no way to pass it to the driver. */
const prismaScope = new AsyncLocalStorage<Scope>();

let activeCalls = 0;

/** Runs `call`, which calls Prisma, in a scope. @throws the error of the scope's guard if the guard fails */
export async function inScope<T>(scope: Scope, call: () => PromiseLike<T>): Promise<T> {
  activeCalls += 1;
  try {
    return await prismaScope.run(scope, async () => call());
  } catch (error) {
    throw guardedError(error, scope.guard);
  } finally {
    activeCalls -= 1;
    // Before Node.js 24 an enabled storage slows down every promise of the process.
    if (activeCalls === 0) prismaScope.disable();
  }
}

/** The error of the guard if the guard has failed. Other errors stay. */
export function guardedError(error: unknown, guard: Guard | undefined): unknown {
  return guard && hasErrorCode(error, guard.failure) ? guard.error() : error;
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
    if (!scope) return pool.query(config);
    return sendScoped(pool, config as StatementConfig, scope, guardOf(scope, config.text));
  };
  const connect = async () => {
    const scope = scopeOf();
    const client = await pool.connect();
    if (!scope) return client;
    return scope.guard ? guardTransaction(client, scope, scope.guard) : scopeTransaction(client, scope);
  };
  return Object.create(pool, { query: { value: query }, connect: { value: connect } });
}

/** Sends a statement with its scope and its guard. */
export function sendScoped(
  pool: pg.Pool,
  config: StatementConfig,
  scope: Scope,
  guard: Guard | undefined,
): Promise<pg.QueryResult> {
  if (!isBypassOn('scoped-query')) return inTransaction(pool, config, scope, guard);
  return pool.query(new ScopedQuery(config, scope, guard) as unknown as pg.QueryConfig);
}

/** The same with the public interface of the driver, and three round trips more. */
async function inTransaction(
  pool: pg.Pool,
  { text, name, values, types, rowMode }: StatementConfig,
  { settings }: Scope,
  guard: Guard | undefined,
): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    await begin(client, settings);
    if (guard) await client.query(guard.text, [...guard.values]);
    const result = await client.query({ text, name, values, types, rowMode } as pg.QueryConfig);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}

/** Citus sends the workers the whole text of SET LOCAL, which must not contain BEGIN. */
async function begin(client: pg.ClientBase, settings: string): Promise<pg.QueryResult> {
  if (!clientIsPropagating(client)) return client.query({ text: `BEGIN; ${settings}` });
  await client.query('BEGIN');
  return client.query(settings);
}

/** Adds the settings of the scope to BEGIN, which is the first statement that the adapter sends. */
function scopeTransaction(client: pg.PoolClient, scope: Scope): pg.PoolClient {
  const query = (config: pg.QueryConfig) => {
    delete (client as Partial<pg.PoolClient>).query;
    return config.text === 'BEGIN' ? begin(client, scope.settings) : client.query(config);
  };
  return Object.assign(client, { query });
}

/** The same, with the guard before the first statement that can write. What the guard locks is locked until the commit. */
function guardTransaction(client: pg.PoolClient, { settings }: Scope, guard: Guard): pg.PoolClient {
  let isGuarded = false;
  const query = (config: pg.QueryConfig) => {
    if (config.text === 'BEGIN') return begin(client, settings);
    if (isGuarded || !canWrite(config.text)) return client.query(config);
    isGuarded = true;
    return sent(client, new ScopedQuery(config, undefined, guard));
  };
  // The members that Prisma's adapter uses. The client itself stays unchanged for the next transaction.
  return {
    query,
    on: client.on.bind(client),
    removeListener: client.removeListener.bind(client),
    release: (error?: Error | boolean) => client.release(error),
  } as unknown as pg.PoolClient;
}

/** For a query object, the driver has a promise only in pools. */
function sent(client: pg.PoolClient, query: ScopedQuery): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
    client.query(query as unknown as pg.QueryConfig, done as never);
  });
}
