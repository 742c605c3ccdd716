import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { POSTGRES_URL } from '../support/database.ts';

// The role of the service cannot end connections, but the user of the connection can.
const CUT = "SELECT set_config('role', 'none', true), pg_terminate_backend(pg_backend_pid())";

describe.skipIf(!POSTGRES_URL)('a connection that the server closes', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ kind: 'postgresql', url: POSTGRES_URL ?? '' });
  });
  afterAll(() => database.close());

  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each([
    ['a hand-written query', () => database.prisma.$queryRawUnsafe(CUT)],
    ['a hand-written change', () => database.prisma.$executeRawUnsafe(CUT)],
    ['a statement in a transaction', () => database.prisma.$transaction((tx) => tx.$queryRawUnsafe(CUT))],
    [
      'the next statement',
      () =>
        database.prisma.$transaction(async (tx) => {
          await tx.$queryRawUnsafe(CUT).catch(() => {});
          await tx.$queryRawUnsafe('SELECT 1');
        }),
    ],
    ['the driver', () => database.pool.query(CUT)],
  ] as const)('makes the database unavailable for %s', async (_source, send) => {
    expect(isUnavailable(await errorOf(send()))).toBe(true);
  });

  it('is different from an invalid statement', async () => {
    expect(isUnavailable(await errorOf(database.prisma.$queryRawUnsafe('SELECT nothing')))).toBe(false);
  });
});
