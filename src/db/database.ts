import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { lockDataDir } from './data-dir.ts';
import { PrismaClient } from './generated/client.ts';
import { pgliteStream } from './pglite-stream.ts';
import { type Sql, sqlOn } from './sql.ts';

/** Where the data lives: a PostgreSQL server, a directory of this machine, or nowhere (`memory`). */
export type DatabaseLocation =
  | { readonly kind: 'postgresql'; readonly url: string; readonly poolSize?: number }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'memory'; readonly dump?: Blob };

/** An open database. `prisma` is unscoped: only the database layer and first start may use it as it is. */
export interface Database {
  readonly embedded: boolean;
  /** Tells it from others on the same machines: the name of a PostgreSQL database, with its server. */
  readonly name: string;
  readonly prisma: PrismaClient;
  /** Hand-written SQL, unscoped too. */
  readonly sql: Sql;
  readonly pool: pg.Pool;
  readonly adapter: PrismaPg;
  /** Present where embedded: the database as a file, for tests and backups. */
  readonly dump?: () => Promise<Blob>;
  close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 10;

/** Opens the database without touching its schema. `onStatement` hears every statement sent. */
export async function openDatabase(location: DatabaseLocation, onStatement?: (sql: string) => void): Promise<Database> {
  if (location.kind === 'postgresql') {
    const pool = new pg.Pool({
      connectionString: location.url,
      max: location.poolSize ?? DEFAULT_POOL_SIZE,
      connectionTimeoutMillis: 10_000,
      // adapter-pg writes timestamps in the session's time zone.
      options: '-c TimeZone=UTC',
    });
    const { host, pathname } = new URL(location.url);
    return wrap(pool, onStatement, { embedded: false, name: `${host}${pathname}`, close: () => pool.end() });
  }
  const lock = location.kind === 'directory' ? await lockDataDir(location.path) : undefined;
  const lite = await openPglite(location);
  const pool = new pg.Pool({
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

async function openPglite(location: Exclude<DatabaseLocation, { kind: 'postgresql' }>): Promise<PGlite> {
  // Who uses PostgreSQL does without it.
  const { PGlite } = await import('@electric-sql/pglite');
  if (location.kind === 'directory') return PGlite.create(join(location.path, 'pglite'));
  return PGlite.create(location.dump ? { loadDataDir: location.dump } : {});
}

function wrap(
  pool: pg.Pool,
  onStatement: ((sql: string) => void) | undefined,
  rest: Pick<Database, 'embedded' | 'name' | 'close' | 'dump'>,
): Database {
  // A broken connection is replaced by the pool. Without listeners it would end the process: the pool has one for those
  // that are idle, and between being idle and being asked a connection has none.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const nameOf = statementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) });
  const prisma = new PrismaClient({
    adapter,
    ...(onStatement && { log: [{ emit: 'event' as const, level: 'query' as const }] }),
  });
  if (onStatement) {
    (prisma as PrismaClient<'query'>).$on('query', (event) => onStatement(event.query));
  }
  return {
    ...rest,
    prisma,
    sql: sqlOn(pool, nameOf, onStatement),
    pool,
    adapter,
    close: async () => {
      await prisma.$disconnect();
      await rest.close();
    },
  };
}

/** Statements kept prepared on a connection. Past it a text runs unnamed, so that odd texts cannot pile up. */
const MAX_PREPARED = 500;

function statementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= MAX_PREPARED) return '';
    const name = `p_${hash('sha256', sql, 'base64url').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}
