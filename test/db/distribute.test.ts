import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute/distribute.ts';
import { runCommand } from '../support/cli.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await createDatabase();
  database = await openDatabase(home.location);
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

/** The parts of the schema that the command changes. */
async function readSchema() {
  const { rows } = await database.pool.query(`
    SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT polname, pg_get_expr(polqual, polrelid) FROM pg_policy
    UNION ALL SELECT relname, relkind::text FROM pg_class
    UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    ORDER BY 1, 2`);
  return rows;
}

describe('distribute', () => {
  it('refuses a server without Citus, and changes nothing', async () => {
    const before = await readSchema();
    const reason = POSTGRES_URL ? /has no Citus\. Install Citus on every server/ : /embedded database cannot be/;
    await expect(distribute(database, 32)).rejects.toThrow(reason);
    expect(await readSchema()).toEqual(before);
  });
});

describe.skipIf(!POSTGRES_URL)('the command distribute', () => {
  const call = (...args: string[]) => {
    const url = home.location.kind === 'postgresql' ? (home.location.sessionUrl ?? home.location.url) : '';
    const env = { DATABASE_URL: url, SECRET_KEY: 'a secret that only tests know, and long enough' };
    return runCommand(env, ['distribute', ...args]);
  };

  it('prints the reason', async () => {
    const { code, stdout, stderr } = await call();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('CREATE EXTENSION citus');
  });

  it.each(['0', '1025', '-4', 'many', '1.5'])('names the option --shards with the value %s', async (value) => {
    const { code, stderr } = await call(`--shards=${value}`);
    expect(code).toBe(1);
    expect(stderr).toContain('--shards must be a number from 1 to 1024.');
  });
});
