import { hash, randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isBypassOn } from '../contract/bypasses.ts';
import { asEmbeddedOwner, asServerOwner, type OwnerConnection } from './as-owner.ts';
import { lockDataDir } from './data-dir.ts';
import { startHousekeeping } from './embedded/housekeeping.ts';
import { openDirectory, openMemory } from './embedded/open-pglite.ts';
import { pgliteStream } from './embedded/pglite-stream.ts';
import { PrismaClient } from './generated/client.ts';
import { KEEP_ALIVE } from './keep-alive.ts';
import { type PoolerScopes, poolerPool, poolerScopes } from './pooler.ts';
import type { Scope } from './scope.ts';
import { guardedDb, scopedDb, systemDb } from './scoped.ts';
import { currentScope, scopedPool } from './scoped-pool.ts';
import { prepareRole, sessionSetup } from './session.ts';
import { type StatementNames, type SystemSql, sqlIn, systemSql } from './sql.ts';
import { Writability } from './writable.ts';

/** Where the data is stored: a PostgreSQL server, a local directory, or memory. */
export type DatabaseLocation =
  | {
      readonly kind: 'postgresql';
      readonly url: string;
      /** Set if `url` leads through a pooler in transaction mode: a URL whose connections keep their session. */
      readonly sessionUrl?: string | undefined;
      readonly poolSize?: number;
    }
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
  /** Passes `work` a connection that can change the schema, which the role of the pool cannot. */
  asOwner<T>(work: (connection: OwnerConnection) => Promise<T>): Promise<T>;
  /** Only for an embedded database: returns it as a file, for tests and backups. */
  readonly dump?: () => Promise<Blob>;
  close(): Promise<void>;
}

/** Opens the database. It does not change the schema. `onStatement` receives the text of every statement. */
export async function openDatabase(location: DatabaseLocation, onStatement?: (sql: string) => void): Promise<Database> {
  if (location.kind === 'postgresql') return openServer(location, onStatement);
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
  const endHousekeeping = lock && startHousekeeping(pool);
  return wrap(pool, onStatement, {
    embedded: true,
    name: location.kind === 'directory' ? location.path : randomUUID(),
    asOwner: (work) => asEmbeddedOwner(pool, work),
    dump: async () => lite.dumpDataDir('none'),
    close: async () => {
      await endHousekeeping?.();
      await pool.end();
      await lite.close();
      await lock?.release();
    },
  });
}

async function openServer(
  { url, sessionUrl = url, poolSize: max }: Extract<DatabaseLocation, { kind: 'postgresql' }>,
  onStatement?: (sql: string) => void,
): Promise<Database> {
  const { host, pathname } = new URL(sessionUrl);
  const asOwner: Database['asOwner'] = (work) => asServerOwner(sessionUrl, work);
  const scopes = sessionUrl === url ? undefined : poolerScopes(await asOwner(prepareRole));
  const settings = { connectionString: url, max, connectionTimeoutMillis: 10_000, ...KEEP_ALIVE };
  const pool = scopes
    ? poolerPool(settings, scopes)
    : // PgBouncer in transaction mode rejects startup options. Without the rejection statements would fail one by one.
      openPool({ ...settings, options: '-c TimeZone=UTC' });
  return wrap(
    pool,
    onStatement,
    { embedded: false, name: `${host}${pathname}`, asOwner, close: () => pool.end() },
    scopes,
  );
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
  rest: Pick<Database, 'embedded' | 'name' | 'asOwner' | 'close' | 'dump'>,
  scopes?: PoolerScopes,
): Database {
  // The pool replaces broken connections. An error event without a listener would end the process, and the pool listens
  // only to idle connections.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const nameOf = statementNames();
  const scopeFor = scopes ? scopes.of : (scope: Scope) => scope;
  const scopeOfCall = () => {
    const scope = currentScope();
    return scope ? scopeFor(scope) : scopes?.unscoped;
  };
  const statementNameGenerator = ({ sql }: { readonly sql: string }) => nameOf(sql, currentScope());
  const client = openClient(new PrismaPg(scopedPool(pool, scopeOfCall), { statementNameGenerator }), onStatement);
  const prisma = systemDb(client);
  return {
    ...rest,
    prisma,
    sql: isBypassOn('sql') ? systemSql(pool, nameOf, onStatement, scopeFor) : prismaSql(prisma),
    pool,
    writability: new Writability(pool),
    close: async () => {
      await client.$disconnect();
      await rest.close();
    },
  };
}

/** The same with Prisma's raw statements, without the bypass `sql`. */
function prismaSql(prisma: PrismaClient): SystemSql {
  const within: SystemSql['within'] = (environment, guard) =>
    sqlIn(guard ? guardedDb(prisma, guard, environment) : scopedDb(prisma, environment));
  return { ...sqlIn(prisma), within };
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
