import { afterAll, describe, expect, it } from 'vitest';
import { planDisruptions, type TortureOptions } from '../../tools/torture/plan.ts';
import { torture } from '../../tools/torture/run.ts';
import { killAll } from './process.ts';

/** Declares the tests of one database under load with disruptions. */
export function testUnderTorture(name: string, options: TortureOptions, { skip }: { readonly skip: boolean }): void {
  describe.skipIf(skip)(`under load, ${name}, with kills, pauses, shutdowns and disconnections`, () => {
    afterAll(killAll);

    it('has the same plan for the same seed, and another one for another seed', () => {
      const plan = planDisruptions(options);
      expect(planDisruptions({ ...options })).toEqual(plan);
      expect(planDisruptions({ ...options, seed: 1 })).not.toEqual(plan);
      expect(new Set(plan.map(({ kind }) => kind))).toContain('SIGKILL');
    });

    it('loses nothing, duplicates nothing and leaves nothing running', { timeout: 480_000 }, async () => {
      const { journal, actions } = await torture(options);
      const details = journal.violations.map(({ check, detail }) => `${check}: ${detail}`).join('\n');
      expect(journal.violations, details).toEqual([]);
      // Both had work, so there was something to lose.
      expect(journal.disruptions.get('SIGKILL')).toBeGreaterThan(0);
      expect(actions).toBeGreaterThan(20);
      expect(journal.checks.get('an acknowledged message is stored once')?.asked).toBeGreaterThan(20);
      if (options.recovery === 'settle') return;
      expect(journal.checks.get('a run of a killed process gets a new owner or ends')?.asked).toBeGreaterThan(0);
      expect(journal.checks.get('the receiver gets an unmarked call at most once')?.asked).toBeGreaterThan(0);
      expect(journal.checks.get('an accepted turn completes without its client')?.asked).toBeGreaterThan(0);
    });
  });
}
