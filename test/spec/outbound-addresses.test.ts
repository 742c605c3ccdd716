import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint } from '../support/webhooks.ts';
import { workflowsOf } from '../support/workflows.ts';

/** The addresses of host names. `unknown.example` has no address. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'private.example': '10.0.0.1',
  'azure.example': '168.63.129.16',
  'metadata.google.internal': '93.184.216.34',
};

let service: TestService;
beforeAll(async () => {
  const resolveName = async (name: string) => {
    const address = ADDRESSES[name];
    if (!address) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return [{ address, family: 4 }];
  };
  service = await startService({ allowLoopback: false }, { outbound: { resolveName } });
});
afterAll(() => service.close());

const CREATIONS: readonly [string, (host: string) => Promise<HttpResponse>][] = [
  ['a webhook endpoint', (host) => createEndpoint(service, { url: `https://${host}/` })],
  [
    'an integration',
    (host) =>
      service.graphql(
        'mutation ($input: ConnectIntegrationInput!) { connectIntegration(input: $input) { __typename ... on ConnectIntegrationPayload { integration { integrationId } } ... on Error { code message path } } }',
        { input: { kind: 'MCP', name: 'CRM', url: `https://${host}/` } },
      ),
  ],
  [
    'an HTTP action',
    (host) =>
      workflowsOf(service).createWorkflow({
        input: { name: 'Support', draft: { httpActions: [{ name: 'act', url: `https://${host}/orders` }] } },
      }),
  ],
];

describe('an address that is not public', () => {
  it.each(CREATIONS)('is rejected for %s with the same error as an unknown host', async (_description, create) => {
    const rejectionOf = async (host: string) => errorOf(await create(host));
    const unknown = await rejectionOf('unknown.example');
    expect(unknown).toMatchObject({ code: 'invalid_request' });
    for (const host of Object.keys(ADDRESSES)) expect(await rejectionOf(host)).toEqual(unknown);
  });
});
