import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, clientOf } from './client.ts';
import { type DataStore, startOn } from './data-stores.ts';
import { ROOT } from './database.ts';
import { freePorts } from './free-ports.ts';
import type { ServiceProcess } from './process.ts';
import { until } from './until.ts';

/** The ports that deploy/nginx.conf names: its own, and those of the processes. */
const SHIPPED = { listen: 'listen 80;', processes: [4001, 4002, 4003] };

/** Three processes with nginx in front, with the shipped configuration. */
export interface BalancedService extends Client {
  readonly processes: ServiceProcess[];
  /** Stops a process and starts it again on the same port. */
  restart(index: number, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** What nginx says about requests that it could not forward. */
  nginxErrors(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startBalanced(store: DataStore, env: Record<string, string> = {}): Promise<BalancedService> {
  const [nginxPort = 0, ...ports] = await freePorts(1 + SHIPPED.processes.length);
  const url = `http://127.0.0.1:${nginxPort}`;
  const start = async (port: number | undefined): Promise<ServiceProcess> => ({
    ...(await startOn(store, { PORT: String(port), PUBLIC_URL: url, TRUST_PROXY: '1', ...env })),
    ...clientOf(`http://127.0.0.1:${port}`, store.key),
  });
  const nginx = await startNginx(nginxPort, ports);
  const processes = await Promise.all(ports.map(start));
  const client = clientOf(url, store.key);
  await until(async () => (await client.send('GET', '/readyz', { key: null })).status === 200);
  return {
    ...client,
    processes,
    async restart(index, signal = 'SIGTERM') {
      await processes[index]?.kill(signal);
      processes[index] = await start(ports[index]);
    },
    nginxErrors: nginx.errors,
    async close() {
      await nginx.close();
      await Promise.all(processes.map((process) => process.kill('SIGKILL')));
    },
  };
}

export interface Nginx {
  errors(): Promise<string[]>;
  close(): Promise<void>;
}

/** nginx with the shipped file. Only the ports differ. */
export async function startNginx(nginxPort: number, ports: readonly number[]): Promise<Nginx> {
  let shipped = await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  for (const [index, port] of SHIPPED.processes.entries())
    shipped = shipped.replaceAll(`127.0.0.1:${port} `, `127.0.0.1:${ports[index]} `);
  return runNginx(nginxPort, shipped);
}

/** nginx with a configuration like the shipped one, in a temporary folder. */
export async function runNginx(nginxPort: number, configuration: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-nginx-'));
  const listening = configuration.replace(SHIPPED.listen, `listen 127.0.0.1:${nginxPort};`);
  await writeFile(join(folder, 'parley.conf'), listening);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    // The workers read and write files of this process. Started by root, they would run as another user.
    `daemon off; user root; worker_processes 2; pid ${folder}/nginx.pid; error_log ${folder}/error.log info;
     events { worker_connections 1024; }
     http { access_log ${folder}/access.log; ${temporary.join(' ')} include ${folder}/parley.conf; }`,
  );
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes.toString()));
  child.once('error', (error) => stderr.push(String(error)));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx exited with ${child.exitCode}:\n${stderr.join('')}`);
    return fetch(`http://127.0.0.1:${nginxPort}/healthz`).then(
      () => true,
      () => false,
    );
  });
  return {
    async errors() {
      const log = await readFile(join(folder, 'error.log'), 'utf8');
      return log.split('\n').filter((line) => line.includes('[error]'));
    },
    async close() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}
