import { describe, expect, it } from 'vitest';
import type { Kind } from '../../tools/abuse/kind.ts';
import { KINDS } from '../../tools/abuse/kinds/all.ts';
import { abuse } from '../../tools/abuse/run.ts';

const databaseUrl = process.env.TEST_DATABASE_URL ?? '';

const CHEAP = ['unknown-paths', 'malformed-requests', 'announced-uploads'];

/** An attack whose first request fails. */
const BROKEN: Kind = {
  name: 'broken',
  about: 'A request that does not exist',
  attack: (attacker) => attacker.need({ path: '/nowhere' }),
};

// A second is enough to see that the tool works. Its numbers depend on the other tests on the machine.
describe.skipIf(!databaseUrl)('npm run abuse', () => {
  it('measures kinds of requests next to another caller', { timeout: 240_000 }, async () => {
    const kinds = [...KINDS.filter(({ name }) => CHEAP.includes(name)), BROKEN];
    const redisUrl = process.env.TEST_REDIS_URL;
    const outcomes = await abuse({ kinds, seconds: 1, rounds: 1, databaseUrl, redisUrl });
    expect(outcomes.map(({ kind }) => kind)).toEqual([...CHEAP, 'broken']);
    for (const { numbers, probes, results } of outcomes) {
      for (const value of Object.values(numbers)) expect(value).toBeGreaterThanOrEqual(0);
      for (const value of [probes.before, probes.during].flatMap(({ p95 }) => Object.values(p95)))
        expect(value).toBeGreaterThan(0);
      expect([...results.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    }
    const [paths, malformed, uploads, broken] = outcomes;
    expect([...(paths?.results.keys() ?? [])]).toEqual(['404']);
    expect(malformed?.results.get('400')).toBeGreaterThan(0);
    expect(uploads?.results.get('201')).toBeGreaterThan(0);
    expect(broken?.faults[0]).toContain('the attack stopped: The attack cannot begin: /nowhere has 404');
  });
});
