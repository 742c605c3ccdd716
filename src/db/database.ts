import { hash, randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { lockDataDir } from './data-dir.ts';
import { PrismaClient } from './generated/client.ts';
import { openDirectory, openMemory } from './open-pglite.ts';
import { pgliteStream } from './pglite-stream.ts';
import { type Scope, SYSTEM_SCOPE } from './scope.ts';
import { registerEnvironmentClient } from './scoped.ts';
import { currentScope, scopedPool } from './scoped-pool.ts';
import { sessionSetup } from './session.ts';
import { type StatementNames, type SystemSql, systemSql } from './sql.ts';
import { Writability } from './writable.ts';

/** Where the data is stored: a PostgreSQL server, a local directory, or memory. */
export type DatabaseLocation =
  | { readonly kind: 'postgresql'; readonly url: string; readonly poolSize?: number }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'memory'; readonly dump?: Blob };

/** An open database. `prisma` and `sql` see all tenants. `scopedDb` and `sql.within` restrict them to one environment. */
export interface Database {
  readonly embedded: boolean;
  /** Unique among databases that share a Redis: server and name of a PostgreSQL database, or a directory. */
  readonly name: string;
  readonly prisma: PrismaClient;
  readonly sql: SystemSql;
  /** The connection pool of the driver. Statements without a scope see no tenant rows. */
  readonly pool: pg.Pool;
  readonly writability: Writability;
  /** Only for an embedded database: returns it as a file, for tests and backups. */
  readonly dump?: () => Promise<Blob>;
  close(): Promise<void>;
}

/** Opens the database. It does not change the schema. `onStatement` receives the text of every statement. */
export async function openDatabase(location: DatabaseLocation, onStatement?: (sql: string) => void): Promise<Database> {
  if (location.kind === 'postgresql') {
    const pool = openPool({
      connectionString: location.url,
      max: location.poolSize,
      connectionTimeoutMillis: 10_000,
      // adapter-pg writes timestamps in the session's time zone.
      options: '-c TimeZone=UTC',
    });
    const { host, pathname } = new URL(location.url);
    return wrap(pool, onStatement, { embedded: false, name: `${host}${pathname}`, close: () => pool.end() });
  }
  const lock = location.kind === 'directory' ? await lockDataDir(location.path) : undefined;
  const lite = await openEmbedded(location).catch(async (error: unknown) => {
    await lock?.release();
    throw error;
  });
  const pool = openPool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    stream: () => pgliteStream(lite) as never,
  });
  return wrap(pool, onStatement, {
    embedded: true,
    name: location.kind === 'directory' ? location.path : randomUUID(),
    dump: async () => lite.dumpDataDir('none'),
    close: async () => {
      await pool.end();
      await lite.close();
      await lock?.release();
    },
  });
}

function openEmbedded(location: Exclude<DatabaseLocation, { kind: 'postgresql' }>): Promise<PGlite> {
  return location.kind === 'directory' ? openDirectory(location.path) : openMemory(location.dump);
}

/** `pg.PoolConfig` does not declare `onConnect` yet. */
function openPool(options: pg.PoolConfig): pg.Pool {
  return new pg.Pool({ ...options, onConnect: sessionSetup() } as pg.PoolConfig);
}

function wrap(
  pool: pg.Pool,
  onStatement: ((sql: string) => void) | undefined,
  rest: Pick<Database, 'embedded' | 'name' | 'close' | 'dump'>,
): Database {
  // The pool replaces broken connections. An error event without a listener would end the process, and the pool listens
  // only to idle connections.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const nameOf = statementNames();
  const client = (adapter: PrismaPg) => openClient(adapter, onStatement);
  const adapterOf = (scopeOf: () => Scope | undefined) =>
    new PrismaPg(scopedPool(pool, scopeOf), { statementNameGenerator: ({ sql }) => nameOf(sql, scopeOf()) });
  const prisma = client(adapterOf(() => SYSTEM_SCOPE));
  const scoped = client(adapterOf(currentScope));
  registerEnvironmentClient(prisma, scoped);
  return {
    ...rest,
    prisma,
    sql: systemSql(pool, nameOf, onStatement),
    pool,
    writability: new Writability(pool),
    close: async () => {
      await Promise.all([prisma.$disconnect(), scoped.$disconnect()]);
      await rest.close();
    },
  };
}

function openClient(adapter: PrismaPg, onStatement: ((sql: string) => void) | undefined): PrismaClient {
  const client = new PrismaClient({
    adapter,
    ...(onStatement && { log: [{ emit: 'event' as const, level: 'query' as const }] }),
  });
  if (onStatement) {
    (client as PrismaClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  return client;
}

/** Limit: prepared statements per connection and kind of scope. Later statements run unprepared. */
const MAX_PREPARED = 500;

/**
 * Names prepared statements by text and kind of scope. A plan is valid for one role, so with a shared name PostgreSQL
 * would plan again each time the role changes.
 */
function statementNames(): StatementNames {
  const names = { system: new Map<string, string>(), environment: new Map<string, string>() };
  return (sql, scope) => {
    const kind = scope?.kind ?? 'environment';
    const existing = names[kind].get(sql);
    if (existing !== undefined) return existing;
    if (names[kind].size >= MAX_PREPARED) return '';
    const name = `p_${kind}_${hash('sha256', sql, 'base64url').slice(0, 24)}`;
    names[kind].set(sql, name);
    return name;
  };
}
