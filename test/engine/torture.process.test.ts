import { afterAll, describe, expect, it } from 'vitest';
import { planStrikes, type TortureOptions } from '../../tools/torture/plan.ts';
import { torture } from '../../tools/torture/run.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';

const DATABASES: readonly { readonly name: string; readonly options: TortureOptions; readonly skip: boolean }[] = [
  {
    name: 'one process on PGlite',
    options: { database: 'embedded', forMs: 15_000, seed: 20_261_121, redis: false },
    skip: Boolean(POSTGRES_URL),
  },
  {
    name: 'three processes on PostgreSQL',
    options: { database: 'postgres', forMs: 18_000, seed: 20_261_121, redis: false },
    skip: !POSTGRES_URL,
  },
];

afterAll(killAll);

describe('the same seed', () => {
  it.each(DATABASES)('gives the same plan of strikes for $name, and another seed another one', ({ options }) => {
    const plan = planStrikes(options);
    expect(planStrikes({ ...options })).toEqual(plan);
    expect(planStrikes({ ...options, seed: 1 })).not.toEqual(plan);
    expect(new Set(plan.map(({ kind }) => kind))).toContain('SIGKILL');
  });
});

for (const { name, options, skip } of DATABASES) {
  describe.skipIf(skip)(`under load, ${name}, killed, stopped, told to stop and cut off`, () => {
    it('lose nothing, double nothing and leave nothing stuck', { timeout: 240_000 }, async () => {
      const { journal, moves } = await torture(options);
      expect(journal.violations).toEqual([]);
      // Neither was idle: there was something to be lost.
      expect(journal.strikes.get('SIGKILL')).toBeGreaterThan(0);
      expect(moves).toBeGreaterThan(20);
      expect(journal.checks.get('an acknowledged message is stored once')?.asked).toBeGreaterThan(20);
    });
  });
}
