import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { POSTGRES_URL } from '../support/database.ts';

const CUT = 'SELECT pg_terminate_backend(pg_backend_pid())';

describe.skipIf(!POSTGRES_URL)('a connection that the server cuts', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ kind: 'postgresql', url: POSTGRES_URL ?? '' });
  });
  afterAll(() => database.close());

  const faultOf = (asked: Promise<unknown>) =>
    asked.then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each([
    ['a hand-written query', () => database.prisma.$queryRawUnsafe(CUT)],
    ['a hand-written change', () => database.prisma.$executeRawUnsafe(CUT)],
    ['a statement in a transaction', () => database.prisma.$transaction((tx) => tx.$queryRawUnsafe(CUT))],
    [
      'the statement after it',
      () =>
        database.prisma.$transaction(async (tx) => {
          await tx.$queryRawUnsafe(CUT).catch(() => {});
          await tx.$queryRawUnsafe('SELECT 1');
        }),
    ],
    ['the driver', () => database.pool.query(CUT)],
  ] as const)('means in %s that the database is away', async (_where, ask) => {
    expect(isUnavailable(await faultOf(ask()))).toBe(true);
  });

  it('is told from a statement that is wrong', async () => {
    expect(isUnavailable(await faultOf(database.prisma.$queryRawUnsafe('SELECT nothing')))).toBe(false);
  });
});
