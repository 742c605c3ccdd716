import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { openService, type Service } from '../../src/service.ts';

/** A service under measurement, behind real HTTP, on a database of its own. */
export interface BenchService {
  readonly service: Service;
  readonly url: string;
  readonly key: string;
  readonly database: string;
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

export async function startBenchService(env: Readonly<Record<string, string>> = {}): Promise<BenchService> {
  const server = process.env.BENCH_DATABASE_URL;
  const name = `parley_bench_${randomUUID().replaceAll('-', '')}`;
  if (server) await administer(server, `CREATE DATABASE ${name}`);
  const place = server ? { DATABASE_URL: withDatabase(server, name) } : { DATA_DIR: 'memory' };
  const secret = 'a secret that a measurement uses, and long enough';
  const config = readConfig({ ...place, SECRET_KEY: secret, ...env });
  const service = await openService(config, ROOT, pino({ level: 'silent' }));
  const http = createServer(service.app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    service,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    key: service.made?.keys.live ?? '',
    database: server ? 'PostgreSQL' : 'PGlite',
    async close() {
      await service.close(http, 1_000);
      if (server) await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** The value below which so much of them lies: 0.5 is the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}
