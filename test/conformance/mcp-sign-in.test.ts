import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failuresOf, runClientScenario, SIGN_IN_SCENARIOS } from '../support/conformance/client-suite.ts';
import { startFollower } from '../support/conformance/sign-in.ts';
import { SUITE_RUNS } from '../support/conformance/suite.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

const CLIENT = fileURLToPath(import.meta.resolve('../support/processes/mcp-conformance-sign-in.mjs'));

describe.skipIf(!SUITE_RUNS)('the sign-in to an MCP server', () => {
  let service: TestService;
  let follower: Awaited<ReturnType<typeof startFollower>>;
  beforeAll(async () => {
    service = await startService();
    follower = await startFollower({ service, session: await openSession(service, 'owner') });
  });
  afterAll(async () => {
    await follower?.close();
    await service?.close();
  });

  it.concurrent.each(SIGN_IN_SCENARIOS)('passes the scenario %s of the revision %s', async (scenario, revision) => {
    const command = `${process.execPath} ${CLIENT}`;
    const checks = await runClientScenario({ scenario, revision, command, env: { FOLLOW_URL: follower.url } });
    expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    expect(failuresOf(checks)).toEqual([]);
  });
});
