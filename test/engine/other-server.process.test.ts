import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL, ROOT } from '../support/database.ts';
import { freePorts } from '../support/free-ports.ts';
import { killAll } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type ScratchServer, SERVER_PROGRAMS, startScratchServer } from '../support/scratch-server.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeEndpoint } from '../support/webhooks.ts';

const run = promisify(execFile);

const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

const PAGE = '{ conversations(first: 10) { followCursor } events(first: 1) { followCursor } }';

const CHANGES = `subscription ($after: String) {
  conversationsChanged(after: $after) { conversation { conversationId } } }`;

/** More transactions than a new server has had after a restore. */
const USE_UP_IDS = `DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`;

const reason = !POSTGRES_URL
  ? ' (skipped: TEST_DATABASE_URL is not set)'
  : SERVER_PROGRAMS
    ? ''
    : ' (skipped: no initdb)';

describe.skipIf(reason !== '')(`a dump that is restored on another server${reason}`, () => {
  let original: OwnedStore;
  let server: ScratchServer;
  let receiver: Receiver;
  let folder: string;
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    [original, server, receiver, folder] = await Promise.all([
      postgresStore(),
      startScratchServer(port),
      startReceiver(),
      mkdtemp(join(tmpdir(), 'parley-dump-')),
    ]);
  });
  afterAll(async () => {
    await killAll();
    await Promise.all([receiver.close(), server?.remove(), original.remove(), rm(folder, { recursive: true })]);
  });

  const createNote = async (client: Client): Promise<string> =>
    (await client.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } })).body.data.id;

  const follow = (client: Client, query: string, after: string) => subscribe(client, query, { after }, client.key);

  it('continues live updates and webhooks, and keeps the cursors of clients, also those from after the dump', async () => {
    const pool = openPool(original.url, 1);
    await pool.query(USE_UP_IDS);
    const env = { ...original.env, ALLOW_LOOPBACK: 'true' };
    const before = await startOn({ ...original, env });
    await makeEndpoint(before, receiver.url, { eventTypes: ['RESOURCE_CREATED'] });
    const page = (await before.graphql(PAGE)).body.data;
    const [second, { body: turn }] = [await createNote(before), await before.agentTurn('Hello')];
    await receiver.waitForCount(1);
    await run('pg_dump', ['--format=custom', `--file=${join(folder, 'dump')}`, original.url]);
    const lost = await createNote(before);
    const feed = await follow(before, EVENTS, page.events.followCursor);
    expect((await feed.next()).data.eventAppended.event.resourceId).toBe(second);
    const { cursor: late, event } = (await feed.next()).data.eventAppended;
    expect(event.resourceId).toBe(lost);
    await feed.close();
    await receiver.waitForCount(2);
    await Promise.all([before.kill('SIGKILL'), pool.end()]);

    await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${server.url}`, join(folder, 'dump')]);
    const restored = openPool(server.url, 1);
    const { rows } = await restored.query('SELECT pg_current_xact_id() < (SELECT max(xid) FROM event) AS starts_lower');
    expect(rows).toEqual([{ starts_lower: true }]);
    await restored.end();
    const after = await startOn({ ...original, env: { ...env, DATABASE_URL: server.url } });
    const feeds = await Promise.all([
      follow(after, EVENTS, page.events.followCursor),
      follow(after, EVENTS, late),
      follow(after, CHANGES, page.conversations.followCursor),
    ]);
    const [events, lateEvents, changes] = feeds;
    const third = await createNote(after);
    for (const id of [second, third]) expect((await events.next()).data.eventAppended.event.resourceId).toBe(id);
    expect((await lateEvents.next()).data.eventAppended.event.resourceId).toBe(third);
    const changed = async () => (await changes.next()).data.conversationsChanged.conversation.conversationId;
    expect(await changed()).toBe(turn.conversation_id);
    const next = await after.agentTurn('Another conversation');
    expect(await changed()).toBe(next.body.conversation_id);
    const messages = await receiver.waitForCount(3);
    expect(messages.map(({ body }) => body).join()).toContain(third);
    await Promise.all(feeds.map((one) => one.close()));
  });

  it('passes the restore drill, which prints what it checked', async () => {
    const tsx = join(ROOT, 'node_modules/.bin/tsx');
    const args = [join(ROOT, 'tools/restore-drill.ts'), join(folder, 'dump')];
    const env = { ...process.env, SECRET_KEY: original.env.SECRET_KEY };
    const passed = await run(tsx, args, { env }).catch((error: { stdout: string }) => error);
    const lines = passed.stdout.trim().split('\n');
    expect(lines.map((line) => line.split(':')[0]?.replace(/ +/, ' '))).toEqual([
      ...['restore', 'rows', 'secrets', 'service', 'reads', 'live updates', 'webhooks', 'positions'].map(
        (name) => `ok ${name}`,
      ),
      'The dump can be restored.',
    ]);
    expect(passed.stdout).toContain('SECRET_KEY decrypts 1');
  });
});
