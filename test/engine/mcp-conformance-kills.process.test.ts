import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILING_CHECKS, OF_SERVICE } from '../support/conformance/scenarios.ts';
import { failuresOf, runScenario, SUITE_RUNS, scenariosOf } from '../support/conformance/suite.ts';
import { type PostgresStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type KilledPair, startKilledPair } from '../support/killed-pair.ts';
import { killAll } from '../support/process.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const KILL_EVERY_MS = 5_000;

/** The scenarios are repeated until the pair has had so many kills. */
const LEAST_KILLS = 6;

/** How often a scenario is repeated because a kill cut one of its requests. */
const MOST_REPEATS = 3;

describe.skipIf(!POSTGRES_URL || !SUITE_RUNS)('two processes of which one is killed every 5 s', () => {
  let store: PostgresStore;
  let pair: KilledPair;
  beforeAll(async () => {
    store = await postgresStore();
    pair = await startKilledPair(store, KILL_EVERY_MS);
  });
  afterAll(async () => {
    await pair?.close();
    await killAll();
    await store?.remove();
  });

  /** The failed checks of a scenario. It is repeated only if a kill cut one of its requests. */
  async function failuresUnderKills(scenario: string, revision: string): Promise<object[]> {
    for (let repeats = 0; ; repeats += 1) {
      const { cuts } = pair.proxy;
      const checks = await runScenario(pair.proxy.url, scenario, revision);
      const failures = failuresOf(checks).filter(({ id }) => !(id in FAILING_CHECKS.service));
      if (failures.length === 0 && checks.some(({ status }) => status === 'SUCCESS')) return [];
      if (pair.proxy.cuts === cuts || repeats === MOST_REPEATS) return failures.length > 0 ? failures : [{ checks }];
    }
  }

  it('pass the conformance suite of MCP on both eras, and lose only the requests of the killed process', async () => {
    const scenarios: [string, string][] = [];
    for (const revision of REVISIONS) {
      const known = await scenariosOf(revision);
      scenarios.push(
        ...OF_SERVICE.filter((name) => known.includes(name)).map((name) => [name, revision] as [string, string]),
      );
    }
    expect(new Set(scenarios.map(([name]) => name))).toEqual(new Set(OF_SERVICE));
    do {
      for (const [scenario, revision] of scenarios) {
        expect(await failuresUnderKills(scenario, revision), `${scenario} of ${revision}`).toEqual([]);
      }
    } while (pair.kills < LEAST_KILLS);
    expect(pair.kills).toBeGreaterThanOrEqual(LEAST_KILLS);
    const { cuts, failovers } = pair.proxy;
    expect(cuts).toBeGreaterThan(0);
    expect(failovers).toBeGreaterThan(0);
  });
});
