import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A redis-server without persistence on its own port. */
export interface OwnRedis {
  readonly url: string;
  readonly version: string;
  /** Kills it and restarts it after a while. */
  restart(awayMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'parley-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  let server = await serve(port, folder);
  let restarting = Promise.resolve();
  return {
    url,
    version: await versionOf(url),
    restart(awayMs) {
      restarting = restarting.then(async () => {
        await end(server);
        await pause(awayMs);
        server = await serve(port, folder);
      });
      return restarting;
    },
    async close() {
      await restarting;
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serve(port: number, folder: string): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  await once(server, 'spawn').catch(() => {
    throw new Error('redis-server is not installed. Run apt-get install redis-server, or use --redis off.');
  });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  server.kill('SIGKILL');
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
}

/** Waits until it responds. */
async function versionOf(url: string): Promise<string> {
  const client = new Redis(url, { maxRetriesPerRequest: null }).on('error', () => {});
  const [, version = ''] = /redis_version:(\S+)/.exec(await client.info('server')) ?? [];
  client.disconnect();
  return version;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
