import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { clientOf } from '../../test/support/client.ts';
import { ROOT } from '../../test/support/database.ts';
import { startProcess } from '../../test/support/process.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { subscribe } from '../../test/support/subscriptions.ts';
import { makeEndpoint } from '../../test/support/webhooks.ts';
import { freshBundle } from '../build.mjs';

const run = promisify(execFile);

/** How long a live update or a webhook message may take. */
const ARRIVES_WITHIN_MS = 10_000;

interface Copy {
  readonly databaseUrl: string;
  readonly secretKey: string;
  /** For files of the service. */
  readonly folder: string;
}

type Check = (name: string, work: () => Promise<string>) => Promise<void>;

/** Starts the service on the restored database and uses it as a client does. */
export async function checkService(check: Check, { databaseUrl, secretKey, folder }: Copy): Promise<void> {
  const env = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    DATA_DIR: folder,
    ALLOW_LOOPBACK: 'true',
    DEFAULT_MODEL: 'demo',
  };
  const started = await startProcess('', env).catch((error: Error) => error);
  await check('service', async () => {
    if (started instanceof Error) throw started;
    const { status, body } = await started.send('GET', '/readyz', { key: null });
    if (status !== 200) throw new Error(`/readyz is ${status}: ${JSON.stringify(body)}`);
    return 'it starts, and /readyz is 200';
  });
  if (started instanceof Error) return;
  const client = clientOf(started.url, await createKey(databaseUrl, env));
  await check('reads', async () => {
    const { status, body } = await client.send('GET', '/v1/resources?limit=1');
    if (status !== 200) throw new Error(`GET /v1/resources is ${status}: ${JSON.stringify(body)}`);
    return 'GET /v1/resources is 200 with a new key';
  });
  const receiver = await startReceiver();
  await makeEndpoint(client, receiver.url);
  const feed = await subscribe(client, 'subscription { eventAppended { event { resourceId } } }', {}, client.key);
  await check('live updates', async () => {
    const { status, body } = await client.send('POST', '/v1/resources', {
      body: { type: 'restore_drill', fields: {} },
    });
    if (status !== 201) throw new Error(`POST /v1/resources is ${status}: ${JSON.stringify(body)}`);
    const found = await inTime(feed.next(), 'a subscription received no event');
    if (found.data.eventAppended.event.resourceId !== body.data.id)
      throw new Error('a subscription received another event');
    return 'a subscription receives a new event';
  });
  await check('webhooks', async () => {
    await inTime(receiver.waitForCount(1), 'an endpoint received no message');
    return 'an endpoint receives a new event';
  });
  await feed.close();
  await receiver.close();
  await started.kill('SIGTERM');
}

/** A key of the first live environment, created as an operator does. */
async function createKey(databaseUrl: string, env: Record<string, string>): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('SELECT id FROM workspace ORDER BY created_at LIMIT 1');
  await client.end();
  const args = [
    'create-key',
    '--name',
    'Restore drill',
    '--scopes',
    'all',
    '--workspace',
    String(rows[0]?.id),
    '--json',
  ];
  const { stdout } = await run(process.execPath, [await freshBundle('cli.js'), ...args], { cwd: ROOT, env });
  return JSON.parse(stdout).secret;
}

async function inTime<T>(work: Promise<T>, reason: string): Promise<T> {
  const timeout = pause(ARRIVES_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${reason} within ${ARRIVES_WITHIN_MS / 1_000} s`);
  });
  return Promise.race([work, timeout]);
}
