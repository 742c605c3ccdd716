import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

const PRLIMIT = '/usr/bin/prlimit';

const reason = !POSTGRES_URL
  ? ' (skipped: TEST_DATABASE_URL is not set)'
  : existsSync(PRLIMIT)
    ? ''
    : ' (skipped: no prlimit)';

describe.skipIf(reason !== '')(`a process without free file descriptors${reason}`, () => {
  let store: PostgresStore;
  let service: ServiceProcess;
  beforeAll(async () => {
    store = await postgresStore();
    service = await startOn(store);
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  const setLimit = (most: number) => run(PRLIMIT, ['--pid', String(service.child.pid), `--nofile=${most}:4096`]);
  const openDescriptors = () => readdirSync(`/proc/${service.child.pid}/fd`).length;

  it('serves its open connections, returns 503 if it cannot reach the database, and recovers', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'x-api-key': service.key };
        request(new URL(path, service.url), { agent, headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        })
          .once('error', reject)
          .end();
      });
    expect(await status('/v1/resources')).toBe(200);
    const limit = openDescriptors() + 10;
    await setLimit(limit);
    const { port, hostname } = new URL(service.url);
    const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname).on('error', () => {}));
    await until(async () => openDescriptors() >= limit);
    expect(await status('/v1/resources')).toBe(200);

    // No descriptor has so small a number, so the process can open nothing at all.
    await setLimit(3);
    const refused = Array.from({ length: 3 }, () => connect(Number(port), hostname).on('error', () => {}));
    const pool = openPool(store.url, 1);
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await pool.end();
    await until(async () => (await status('/readyz')) === 503);
    expect(await status('/v1/resources')).toBe(503);
    expect(await status('/healthz')).toBe(200);

    await setLimit(1_024);
    for (const socket of [...sockets, ...refused]) socket.destroy();
    const recovered = () => service.send('GET', '/v1/resources').then((response) => response.status === 200);
    await until(() => recovered().catch(() => false));
    expect(await status('/v1/resources')).toBe(200);
    expect(service.child.exitCode).toBeNull();
    agent.destroy();
  });
});
