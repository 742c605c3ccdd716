import { expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createEmptyPostgres, openPool, POSTGRES_URL, ROOT } from '../support/database.ts';

it.skipIf(!POSTGRES_URL)('releases its lock, so a newer version can migrate while this one runs', async () => {
  const { url, drop } = await createEmptyPostgres();
  const database = await openDatabase({ kind: 'postgresql', url });
  const observer = openPool(url, 1);
  try {
    expect((await migrate(database, ROOT)).length).toBeGreaterThan(1);
    const { rows } = await observer.query(
      `SELECT objid FROM pg_locks JOIN pg_database d ON d.oid = pg_locks.database
         WHERE locktype = 'advisory' AND d.datname = current_database()`,
    );
    expect(rows).toEqual([]);
    expect(await migrate(database, ROOT)).toEqual([]);
  } finally {
    await observer.end();
    await database.close();
    await drop();
  }
});
