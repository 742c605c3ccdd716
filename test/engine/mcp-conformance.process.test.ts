import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  clientScenarios,
  failuresOf,
  runClientScenario,
  SIGN_IN_SCENARIOS,
} from '../support/conformance/client-suite.ts';
import { SUITE_RUNS } from '../support/conformance/suite.ts';

const [TSX, CLIENT] = ['tsx/cli', '../support/processes/mcp-conformance-client.ts'].map((name) =>
  fileURLToPath(import.meta.resolve(name)),
);

const OLD = '2025-11-25';
const MODERN = '2026-07-28';

const SCENARIOS = [
  ['initialize', '2025-06-18'],
  ['initialize', OLD],
  ['tools_call', OLD],
  ['tools_call', MODERN],
  ['sse-retry', OLD],
  ['json-schema-2020-12-preservation', OLD],
  ['json-schema-2020-12-preservation', MODERN],
  ['json-schema-ref-no-deref', MODERN],
  ['request-metadata', MODERN],
  ['http-standard-headers', MODERN],
  ['http-custom-headers', MODERN],
  ['http-invalid-tool-headers', MODERN],
] as const;

/** The scenarios that this client does not follow, and why. */
const EXCEPTIONS: readonly [prefix: string, reason: string][] = [
  ['auth/basic-cimd', 'it expects a document at an address of its own, and the service names its own document'],
  ['auth/client-credentials-', 'a member signs in, so the service needs no grant without a person'],
  ['auth/enterprise-managed-authorization', 'the service has no token of an identity provider to exchange'],
  ['auth/dpop', 'the service sends bearer tokens'],
  ['auth/wif-jwt-bearer', 'the service has no workload identity'],
  ['elicitation-sep1034-client-defaults', 'the service cannot ask the user of a tool'],
  ['sep-2322-client-request-state', 'its tools ask their user'],
  ['sep-2640-', 'the service reads no skills'],
];

describe.skipIf(!SUITE_RUNS)(`the MCP client${SUITE_RUNS ? '' : ' (skipped: the tests need Node.js 22)'}`, () => {
  it.each(SCENARIOS)('passes the scenario %s of the revision %s', async (scenario, revision) => {
    const checks = await runClientScenario({ scenario, revision, command: `${process.execPath} ${TSX} ${CLIENT}` });
    expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    expect(failuresOf(checks)).toEqual([]);
  });

  it('has a reason for each scenario that it does not follow', async () => {
    const names = await clientScenarios();
    const known = (name: string) =>
      [...SCENARIOS, ...SIGN_IN_SCENARIOS].some(([one]) => one === name) ||
      EXCEPTIONS.some(([prefix]) => name.startsWith(prefix));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});
