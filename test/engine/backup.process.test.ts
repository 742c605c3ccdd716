import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type DataStore, directoryStore, postgresStore, startOn } from '../support/data-stores.ts';
import { createEmptyPostgres, POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** A database that can be backed up, lost, and restored. */
interface BackedUpStore {
  readonly original: DataStore;
  /** Makes the backup while or after `process` runs and destroys the database. Returns the restored one. */
  backUpAndRestore(process: ServiceProcess, folder: string): Promise<DataStore>;
}

const POSTGRES = {
  name: 'pg_dump of a running service, and pg_restore',
  skip: !POSTGRES_URL,
  async place(): Promise<BackedUpStore> {
    const store = await postgresStore();
    return {
      original: store,
      async backUpAndRestore(process, folder) {
        const file = join(folder, 'parley.dump');
        await run('pg_dump', ['--format=custom', `--file=${file}`, store.url]);
        await process.kill('SIGKILL');
        await store.remove();
        const { url, drop } = await createEmptyPostgres();
        await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${url}`, file]);
        return { key: store.key, env: { ...store.env, DATABASE_URL: url }, remove: drop };
      },
    };
  },
};

const EMBEDDED = {
  name: 'a copy of DATA_DIR once nothing runs on it',
  skip: false,
  async place(): Promise<BackedUpStore> {
    const store = await directoryStore();
    return {
      original: store,
      async backUpAndRestore(process, folder) {
        await process.kill('SIGKILL');
        const data = String(store.env.DATA_DIR);
        await run('cp', ['-a', data, join(folder, 'data')]);
        await store.remove();
        await run('cp', ['-a', join(folder, 'data'), data]);
        return store;
      },
    };
  },
};

const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

const LIST =
  'query ($after: String) { conversations(first: 1, after: $after) { pageInfo { endCursor } nodes { conversationId } } }';

for (const { name, skip, place: createStore } of [POSTGRES, EMBEDDED]) {
  describe.skipIf(skip)(`a backup: ${name}`, () => {
    let backup: BackedUpStore;
    let restored: DataStore | undefined;
    let folder: string;
    beforeAll(async () => {
      [backup, folder] = await Promise.all([createStore(), mkdtemp(join(tmpdir(), 'parley-backup-'))]);
    });
    afterEach(killAll);
    afterAll(async () => {
      await restored?.remove();
      await rm(folder, { recursive: true });
    });

    const createNote = (client: Client, headers = {}): Promise<HttpResponse> =>
      client.send('POST', '/v1/resources', { body: { type: 'note', fields: { a: 1 } }, headers });

    it('restores conversations, waiting runs, keys, cursors and secrets, and settles running runs', async () => {
      const before = await startOn(backup.original);
      const [idle, running, paused] = await Promise.all(
        ['talk', 'work', 'wait'].map((text) => startConversation(before, text)),
      );
      const waiting = await pauseTurn(before, String(paused), `${lookup('one')}\n/say welcome back`);
      const stored = await createNote(before, { 'idempotency-key': 'kept' });
      const feed = await subscribe(before, EVENTS, { after: null }, before.key);
      const first = await createNote(before);
      const { cursor, event } = (await feed.next()).data.eventAppended;
      expect(event.resourceId).toBe(first.body.data.id);
      const second = await createNote(before);
      const page = (await before.graphql(LIST)).body.data.conversations;
      const history = await readHistory(before, String(idle));
      const cut = before.agentTurn('/slow 60', { conversation_id: running }).catch(() => 'cut');
      await until(async () => (await readHistory(before, String(running))).run_status === 'running');
      restored = await backup.backUpAndRestore(before, folder);
      await cut;
      await feed.close();

      const after = await startOn(restored);
      expect((await readHistory(after, String(idle))).items).toEqual(history.items);
      const response = await resume(after, waiting, { name: 'Ada' });
      expect(response).toMatchObject({ status: 200, body: { content: 'welcome back', run_status: 'completed' } });
      const settled = await until(async () => {
        const { run_status } = await readHistory(after, String(running));
        return run_status !== 'running' && run_status;
      });
      expect(settled).toBe('failed');
      const next = await after.agentTurn('Go on', { conversation_id: running });
      expect(next).toMatchObject({ status: 200, body: { content: 'You said: Go on' } });
      // A stored response is encrypted like every stored secret.
      const replayed = await createNote(after, { 'idempotency-key': 'kept' });
      expect([replayed.body, replayed.headers.get('idempotency-replayed')]).toEqual([stored.body, 'true']);
      const following = (await after.graphql(LIST, { after: page.pageInfo.endCursor })).body;
      expect(following.errors).toBeUndefined();
      expect(following.data.conversations.nodes[0].conversationId).not.toBe(page.nodes[0].conversationId);
      const repeated = await subscribe(after, EVENTS, { after: cursor }, after.key);
      const third = await createNote(after);
      for (const { body } of [second, third])
        expect((await repeated.next()).data.eventAppended.event.resourceId).toBe(body.data.id);
      await repeated.close();
    });
  });
}

async function startConversation(client: Client, text: string): Promise<string> {
  return (await client.agentTurn(text)).body.conversation_id;
}
