import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXCEPTIONS, FAILING_CHECKS, OF_SERVICE, OF_TRANSPORT } from '../support/conformance/scenarios.ts';
import { type OpenServer, startFixtureServer, startKeyProxy } from '../support/conformance/servers.ts';
import { failuresOf, runSuite, SUITE_RUNS, type SuiteResults } from '../support/conformance/suite.ts';
import { startService, type TestService } from '../support/service.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

interface Results {
  readonly service: SuiteResults;
  readonly transport: SuiteResults;
}

let service: TestService;
const open: OpenServer[] = [];
const results = new Map<string, Results>();

beforeAll(async () => {
  if (!SUITE_RUNS) return;
  service = await startService();
  const fixture = await startFixtureServer(service);
  const proxies = await Promise.all([service, fixture].map(({ url }) => startKeyProxy(url, service.keys.live)));
  open.push(...proxies, fixture);
  const [ofService, ofFixture] = proxies.map(({ url }) => url) as [string, string];
  for (const revision of REVISIONS) {
    const [own, transport] = await Promise.all([runSuite(ofService, revision), runSuite(ofFixture, revision)]);
    results.set(revision, { service: own, transport });
  }
}, 300_000);
afterAll(async () => {
  for (const server of open) await server.close();
  await service?.close();
});

const failedChecks = (suite: SuiteResults, scenarios: readonly string[]) =>
  scenarios.flatMap((scenario) => failuresOf(suite.get(scenario) ?? []));

const resultsOf = (revision: string) => results.get(revision) as Results;

describe.runIf(SUITE_RUNS).each(REVISIONS)('the conformance suite of the revision %s', (revision) => {
  it('gives each of its scenarios a place, and each exception fails', () => {
    const { service: own, transport } = resultsOf(revision);
    expect(own.size).toBeGreaterThan(30);
    const places = [...OF_SERVICE, ...OF_TRANSPORT, ...Object.keys(EXCEPTIONS)];
    expect([...own.keys()].filter((scenario) => !places.includes(scenario))).toEqual([]);
    const passes = (scenario: string) =>
      transport.get(scenario)?.every(({ status }) => status === 'SUCCESS' || status === 'INFO');
    expect(Object.keys(EXCEPTIONS).filter(passes)).toEqual([]);
  });

  it.each([
    ['service', OF_SERVICE],
    ['transport', OF_TRANSPORT],
  ] as const)('passes against the %s', (target, scenarios) => {
    const failures = failedChecks(resultsOf(revision)[target], scenarios);
    expect(failures.filter(({ id }) => !(id in FAILING_CHECKS[target]))).toEqual([]);
  });
});

describe.runIf(SUITE_RUNS)('the exceptions', () => {
  it.each(['service', 'transport'] as const)('of checks against the %s are needed', (target) => {
    const scenarios = { service: OF_SERVICE, transport: OF_TRANSPORT }[target];
    const failed = REVISIONS.flatMap((revision) => failedChecks(resultsOf(revision)[target], scenarios));
    const ids = new Set(failed.map(({ id }) => id));
    expect(Object.keys(FAILING_CHECKS[target]).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('have a scenario of a revision', () => {
    const scenarios = REVISIONS.flatMap((revision) => [...resultsOf(revision).service.keys()]);
    expect(
      [...OF_SERVICE, ...OF_TRANSPORT, ...Object.keys(EXCEPTIONS)].filter((one) => !scenarios.includes(one)),
    ).toEqual([]);
  });
});
