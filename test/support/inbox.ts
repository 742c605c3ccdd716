import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptyDirectoryStore, emptyPostgresStore } from './data-stores.ts';
import { POSTGRES_URL, ROOT } from './database.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { freePorts } from './free-ports.ts';
import { type ServiceProcess, startProcess } from './process.ts';

const run = promisify(execFile);
const APP = join(ROOT, 'test/frontends/inbox');

export const OWNER = { email: 'owner@example.com', password: 'a password of the owner' };

const CONFIGURATION = `
version: 1
workflows:
  - name: Support
    config:
      resourceTools: [create_resource]
      toolApprovals: [{ tool: create_resource, mode: always, approver: member }]
deployments:
  - { name: Support agent, workflow: Support, kind: agent }
  - { name: Slow agent, workflow: Support, kind: agent, turnsPerMinute: 1 }
`;

/** A service as a process with a provider, and the built inbox at an origin of its own. */
export interface InboxSetup {
  readonly provider: FakeProvider;
  /** The address of the inbox, with the service in its query. */
  readonly address: string;
  service(): ServiceProcess;
  /** Stops the process, and starts another one at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startInbox(): Promise<InboxSetup> {
  const store = await (POSTGRES_URL ? emptyPostgresStore() : emptyDirectoryStore());
  const [provider, [port = 0], site] = await Promise.all([startFakeProvider(), freePorts(1), startSite()]);
  const env = {
    ...store.env,
    PORT: String(port),
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'a key of the provider',
    DEFAULT_MODEL: 'openai-compatible:fake',
    BOOTSTRAP_EMAIL: OWNER.email,
    BOOTSTRAP_PASSWORD: OWNER.password,
  };
  let service = await startProcess(store.key, env);
  await configure(service.url, store.key);
  return {
    provider,
    address: `${site.origin}/?service=${service.url}`,
    service: () => service,
    async restart() {
      await service.kill('SIGTERM');
      service = await startProcess(store.key, env);
    },
    async close() {
      await service.kill('SIGTERM');
      await Promise.all([provider.close(), site.close()]);
      await store.remove();
    },
  };
}

async function configure(url: string, key: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-inbox-'));
  const file = join(folder, 'inbox.yaml');
  await writeFile(file, CONFIGURATION);
  const env = { ...process.env, PARLEY_URL: url, PARLEY_API_KEY: key };
  await run(process.execPath, [join(ROOT, 'dist/cli.js'), 'apply', '-f', file, '--yes'], { env });
  await rm(folder, { recursive: true });
}

/** Builds the page, which generates its types from the schema, and serves it. */
async function startSite() {
  await run(process.execPath, ['build.mjs'], { cwd: APP });
  const [page, script] = await Promise.all(['index.html', 'main.js'].map((name) => readFile(join(APP, 'dist', name))));
  const server = createServer(({ url }, response) => {
    const isScript = url === '/main.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
