import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { createDatabase, ROOT, type TestDatabase } from '../support/database.ts';

const MIGRATION = 'prisma/migrations/20261122073000_normalized_allowlists/migration.sql';

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

it.each([
  [
    ['www.example.com', 'shop.example.com', 'example.com'],
    ['example.com', 'shop.example.com'],
  ],
  [
    ['www.com', 'localhost', 'www.www.example.com'],
    ['www.com', 'localhost', 'example.com'],
  ],
  [
    ['https://WWW.Example.com:8443/shop?x', 'other.example.'],
    ['example.com', 'other.example'],
  ],
  [['/'], ['/']],
  [[], []],
])('the migration normalizes the allowlist %j', async (stored, normalized) => {
  const where = { id: DEMO_CHAT_ID };
  await database.prisma.deployment.update({ where, data: { allowlist: stored } });
  await database.prisma.$executeRawUnsafe(await readFile(join(ROOT, MIGRATION), 'utf8'));
  const { allowlist } = await database.prisma.deployment.findUniqueOrThrow({ where });
  expect(allowlist).toEqual(normalized);
});
