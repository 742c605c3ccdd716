import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import type { Answer, Client } from '../support/client.ts';
import { createEmptyPostgres, POSTGRES_URL } from '../support/database.ts';
import { directory, type Place, postgres, startAt } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** A place that is backed up, lost, and found again in its backup. */
interface Backed {
  readonly home: Place;
  /** Makes the backup while or after `process` runs, loses what there was, and answers where it is restored. */
  lose(process: ServiceProcess, folder: string): Promise<Place>;
}

const POSTGRES = {
  name: 'pg_dump of a running service, and pg_restore',
  skip: !POSTGRES_URL,
  async place(): Promise<Backed> {
    const home = await postgres();
    return {
      home,
      async lose(process, folder) {
        const file = join(folder, 'parley.dump');
        await run('pg_dump', ['--format=custom', `--file=${file}`, home.url]);
        await process.kill('SIGKILL');
        await home.remove();
        const { url, drop } = await createEmptyPostgres();
        await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${url}`, file]);
        return { key: home.key, env: { ...home.env, DATABASE_URL: url }, remove: drop };
      },
    };
  },
};

const EMBEDDED = {
  name: 'a copy of DATA_DIR once nothing runs on it',
  skip: Boolean(POSTGRES_URL),
  async place(): Promise<Backed> {
    const home = await directory();
    return {
      home,
      async lose(process, folder) {
        await process.kill('SIGKILL');
        const data = String(home.env.DATA_DIR);
        await run('cp', ['-a', data, join(folder, 'data')]);
        await home.remove();
        await run('cp', ['-a', join(folder, 'data'), data]);
        return home;
      },
    };
  },
};

const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

const LIST =
  'query ($after: String) { conversations(first: 1, after: $after) { nextCursor nodes { conversationId } } }';

for (const { name, skip, place } of [POSTGRES, EMBEDDED]) {
  describe.skipIf(skip)(`a backup: ${name}`, () => {
    let backed: Backed;
    let restored: Place | undefined;
    let folder: string;
    beforeAll(async () => {
      [backed, folder] = await Promise.all([place(), mkdtemp(join(tmpdir(), 'parley-backup-'))]);
    });
    afterEach(killAll);
    afterAll(async () => {
      await restored?.remove();
      await rm(folder, { recursive: true });
    });

    const note = (client: Client, headers = {}): Promise<Answer> =>
      client.send('POST', '/v1/resources', { body: { type: 'note', fields: { a: 1 } }, headers });

    it('gives back conversations, waiting runs, keys, cursors and secrets; runs that were at work are settled', async () => {
      const before = await startAt(backed.home);
      const [talk, work, wait] = await Promise.all(['talk', 'work', 'wait'].map((text) => begin(before, text)));
      const waiting = await pauseTurn(before, String(wait), `${lookup('one')}\n/say welcome back`);
      const kept = await note(before, { 'idempotency-key': 'kept' });
      const feed = await subscribe(before, EVENTS, { after: null }, before.key);
      const first = await note(before);
      const { cursor, event } = (await feed.next()).data.eventAppended;
      expect(event.resourceId).toBe(first.body.data.id);
      const second = await note(before);
      const page = (await before.graphql(LIST)).body.data.conversations;
      const history = await readHistory(before, String(talk));
      const cut = before.agentTurn('/slow 60', { conversation_id: work }).catch(() => 'cut');
      await until(async () => (await readHistory(before, String(work))).run_status === 'running');
      restored = await backed.lose(before, folder);
      await cut;
      await feed.close();

      const after = await startAt(restored);
      expect((await readHistory(after, String(talk))).items).toEqual(history.items);
      const answer = await resume(after, waiting, { name: 'Ada' });
      expect(answer).toMatchObject({ status: 200, body: { content: 'welcome back', run_status: 'completed' } });
      const settled = await until(async () => {
        const { run_status } = await readHistory(after, String(work));
        return run_status !== 'running' && run_status;
      });
      expect(settled).toBe('failed');
      const next = await after.agentTurn('Go on', { conversation_id: work });
      expect(next).toMatchObject({ status: 200, body: { content: 'You said: Go on' } });
      // An answer that is kept is sealed as every stored secret is.
      const replayed = await note(after, { 'idempotency-key': 'kept' });
      expect([replayed.body, replayed.headers.get('idempotency-replayed')]).toEqual([kept.body, 'true']);
      const following = (await after.graphql(LIST, { after: page.nextCursor })).body;
      expect(following.errors).toBeUndefined();
      expect(following.data.conversations.nodes[0].conversationId).not.toBe(page.nodes[0].conversationId);
      const again = await subscribe(after, EVENTS, { after: cursor }, after.key);
      const third = await note(after);
      for (const { body } of [second, third])
        expect((await again.next()).data.eventAppended.event.resourceId).toBe(body.data.id);
      await again.close();
    });
  });
}

async function begin(client: Client, text: string): Promise<string> {
  return (await client.agentTurn(text)).body.conversation_id;
}
