import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DataStore, directoryStore, startOn } from '../support/data-stores.ts';
import { ROOT } from '../support/database.ts';
import { killAll } from '../support/process.ts';

let store: DataStore;
beforeAll(async () => {
  store = await directoryStore();
});
afterAll(async () => {
  await killAll();
  await store.remove();
});

const NOTES = 40;

/** The database writes its tables only in a checkpoint: when it stops, and after the recovery from a crash. */
function firstWrite(): Promise<unknown> {
  const watcher = watch(join(store.env.DATA_DIR ?? '', 'pglite/base'), { recursive: true });
  return once(watcher, 'change').finally(() => watcher.close());
}

it('an embedded database keeps every acknowledged write if it is killed during a checkpoint, also after a crash', async () => {
  const first = await startOn(store);
  const ids: string[] = [];
  for (let note = 0; note < NOTES; note += 1) {
    const { body } = await first.send('POST', '/v1/resources', { body: { type: 'note', fields: { note } } });
    ids.push(body.data.id);
  }
  const stopping = firstWrite();
  first.child.kill('SIGTERM');
  await stopping;
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const recovering = firstWrite();
  const second = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', ...store.env },
  });
  await recovering;
  second.kill('SIGKILL');
  await once(second, 'exit');

  const third = await startOn(store);
  const { body } = await third.send('GET', '/v1/resources?type=note&limit=100');
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
  expect((await third.agentTurn('Hello')).status).toBe(200);
  await third.kill('SIGTERM');
  expect(third.child.exitCode).toBe(0);
});
