import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/db/generated/client.ts';
import { periodEndSql, periodStartSql } from '../../src/domain/budgets/periods.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function periodOf(period: string, at: string, timeZone: string): Promise<readonly (string | undefined)[]> {
  const parts = [Prisma.sql`p.period`, Prisma.sql`p.at`, Prisma.sql`p.zone`] as const;
  const [row] = await service.service.services.stores.sql.rows<{ start: Date; end: Date | null }>`
    SELECT ${periodStartSql(...parts)} AS start, ${periodEndSql(...parts)} AS end
    FROM (VALUES (${period}, ${at}::timestamptz, ${timeZone})) AS p (period, at, zone)`;
  return [row?.start.toISOString(), row?.end?.toISOString()].map((time) => time?.replace(':00.000Z', 'Z'));
}

describe('the period of a budget', () => {
  it.each([
    ['day', '2026-05-31T23:59:59.999Z', 'UTC', '2026-05-31T00:00Z', '2026-06-01T00:00Z'],
    ['day', '2026-06-01T00:00Z', 'UTC', '2026-06-01T00:00Z', '2026-06-02T00:00Z'],
    ['month', '2026-05-31T23:59:59.999Z', 'UTC', '2026-05-01T00:00Z', '2026-06-01T00:00Z'],
    ['month', '2028-02-29T12:00Z', 'UTC', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
    ['month', '2026-12-31T23:00Z', 'Europe/Berlin', '2026-12-31T23:00Z', '2027-01-31T23:00Z'],
    ['day', '2026-06-01T18:29:59Z', 'Asia/Kolkata', '2026-05-31T18:30Z', '2026-06-01T18:30Z'],
    ['total', '2026-06-01T00:00Z', 'Europe/Berlin', '1970-01-01T00:00Z', undefined],
  ])('%s of %s in %s', async (period, at, zone, start, end) => {
    expect(await periodOf(period, at, zone)).toEqual([start, end]);
  });

  it.each([
    ['has 23 hours in spring', 'day', '2026-03-29T10:00Z', 'Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['has 25 hours in autumn', 'day', '2026-10-25T10:00Z', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ['begins in summer time', 'month', '2026-10-31T10:00Z', 'Europe/Berlin', '2026-09-30T22:00Z', '2026-10-31T23:00Z'],
    // At 01:00 the clock goes back to 00:00.
    [
      'begins at the first midnight',
      'day',
      '2026-11-01T04:30Z',
      'America/Havana',
      '2026-11-01T04:00Z',
      '2026-11-02T05:00Z',
    ],
    [
      'is the same after the second midnight',
      'day',
      '2026-11-01T05:30Z',
      'America/Havana',
      '2026-11-01T04:00Z',
      '2026-11-02T05:00Z',
    ],
    [
      'ends at the first midnight',
      'day',
      '2026-10-31T12:00Z',
      'America/Havana',
      '2026-10-31T04:00Z',
      '2026-11-01T04:00Z',
    ],
    // At 00:00 the clock goes on to 01:00.
    [
      'without midnight begins at 01:00',
      'day',
      '2026-09-06T12:00Z',
      'America/Santiago',
      '2026-09-06T04:00Z',
      '2026-09-07T03:00Z',
    ],
  ])('%s: a %s at %s in %s', async (_name, period, at, zone, start, end) => {
    expect(await periodOf(period, at, zone)).toEqual([start, end]);
  });
});
