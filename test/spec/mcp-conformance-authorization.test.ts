import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAuthorizationSuite } from '../support/conformance/authorization.ts';
import { SUITE_RUNS, type SuiteResults } from '../support/conformance/suite.ts';
import { ALLOW_APP, decide, TestBrowser } from '../support/connecting.ts';
import { registeredApp } from '../support/registering.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

/** The scenarios that the suite has for authorization servers. There are no exceptions. */
const SCENARIOS = ['authorization-code-grant', 'authorization-server-metadata-endpoint'];

/** A port that no other program uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

describe.runIf(SUITE_RUNS)('the conformance suite of authorization servers', () => {
  let service: TestService;
  let results: SuiteResults;
  beforeAll(async () => {
    const [port, callbackPort] = [await freePort(), await freePort()];
    // The suite compares the issuer with the address.
    service = await startService({ port, publicUrl: `http://127.0.0.1:${port}`, appRegistration: true });
    const session = await openSession(service, 'developer');
    const app = await registeredApp(service, `http://127.0.0.1:${callbackPort}/callback`);
    results = await runAuthorizationSuite({
      ...{ url: service.url, clientId: app.clientId, resource: `${service.url}/mcp`, port: callbackPort },
      async authorize(url) {
        const browser = new TestBrowser(service);
        const requestId = (await browser.open(url)).headers.get('location')?.split('/').at(-1) ?? '';
        const input = { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] };
        const { body } = await decide(service, browser, session, ALLOW_APP, input);
        const returned = await browser.open(body.data.allowApp.redirectUrl);
        await fetch(returned.headers.get('location') ?? '');
      },
    });
  }, 120_000);
  afterAll(() => service?.close());

  it('runs each of its scenarios', () => {
    expect([...results.keys()].sort()).toEqual(SCENARIOS);
  });

  it.each(SCENARIOS)('passes the scenario %s', (scenario) => {
    const checks = results.get(scenario) ?? [];
    expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
  });
});
