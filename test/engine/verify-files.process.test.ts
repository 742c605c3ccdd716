import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/cli.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { uploadFile } from '../support/uploads.ts';

describe.skipIf(!POSTGRES_URL)('the command files verify', () => {
  let store: PostgresStore;
  let folder: string;
  beforeAll(async () => {
    store = await postgresStore();
    folder = await mkdtemp(join(tmpdir(), 'parley-verify-'));
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
    await rm(folder, { recursive: true });
  });

  it('compares files with their bytes, records lost ones, and deletes bytes that no file needs', async () => {
    const service = await startOn(store, { FILES_DIR: folder });
    const { id } = await uploadFile(service);
    const verify = (...options: string[]) =>
      runCommand({ ...store.env, FILES_DIR: folder }, ['files', 'verify', ...options]);
    expect(await verify('--hash')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Lost: 0\. .*Nothing was/s),
    });
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const [stored] = names.filter((entry) => entry.isFile());
    const path = join(stored?.parentPath ?? '', stored?.name ?? '');
    await rename(path, `${path}-moved`);
    const plain = await verify('--json');
    expect([plain.code, JSON.parse(plain.stdout)]).toEqual([
      1,
      expect.objectContaining({ contents: 1, keys: 1, missing: 1, orphan: 1, marked: 0, deleted: 0 }),
    ]);
    const repaired = await verify('--repair');
    expect(repaired.code).toBe(1);
    expect(repaired.stdout).toMatch(new RegExp(`: missing; files ${id}\\n.*-moved: needed by no file\\n`));
    expect(repaired.stdout).toMatch(/Recorded as lost: 1\. Readable again: 0\. Deleted: 1\.\n$/);
    await expect(stat(`${path}-moved`)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await service.send('GET', `/v1/files/${id}`)).status).toBe(404);
  });
});
