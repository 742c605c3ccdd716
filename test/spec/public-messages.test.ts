import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
/** Deployments open to the pages of one site, and without a published version. */
let listed: string;
let unpublished: string;
const closed = DEMO_AGENT_ID;
beforeAll(async () => {
  service = await startService();
  const open = { kind: 'agent', authRequired: false } as const;
  ({ id: listed } = await makeDeployment(service, {}, { ...open, allowlist: ['shop.example.com'] }));
  ({ id: unpublished } = await makeDeployment(service, {}, { ...open, published: false }));
});
afterAll(() => service.close());

const request = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  service.send(method, path, { key: null, ...(body && { body }), headers });

const start = (id: string, headers: Record<string, string>) =>
  request('POST', `/v2/runner/${id}/conversation`, { content: textContent('Hi') }, headers);

const TURN = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename ... on Error { code } } }`;

describe('the error of a request without credentials', () => {
  it('says the same about a closed, an unpublished and an unknown deployment', async () => {
    const message =
      /^The deployment of this request is not public or does not exist\. Publish it and turn off authRequired, or send/;
    const messages = new Set<string>();
    for (const id of [closed, unpublished, randomUUID(), 'no-uuid']) {
      for (const path of [`/v1/runner/${id}`, `/v1/runner/${id}/conversation`, `/v2/runner/${id}/conversation`]) {
        const response = await request('POST', path, { content: textContent('Hi') });
        expectError(response, 'unauthorized', { message, param: null });
        messages.add(response.body.error.message);
      }
    }
    expect(messages.size).toBe(1);
    for (const deploymentId of [closed, unpublished, randomUUID()]) {
      const input = { deploymentId, content: graphText('Hi') };
      const response = await request('POST', '/graphql', { query: TURN, variables: { input } });
      expectGraphqlError(response, 'unauthorized', { message });
    }
    expectError(await request('GET', `/v1/runner/conversation/${randomUUID()}/messages`), 'unauthorized', { message });
  });
});

describe('the error of a request from another page', () => {
  it.each([
    ['https://WWW.Other.example:8443', 'other.example'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
  ])('names the host of %s that the deployment can allow', async (origin, host) => {
    const message = `This deployment does not accept requests from pages of ${host}. Add ${host} to its allowlist.`;
    const referer = `${origin}/cart?secret=1`;
    const response = await start(listed, origin.includes('ü') ? { referer: encodeURI(referer) } : { origin });
    expectError(response, 'origin_not_allowed');
    expect(response.body.error.message).toBe(message);
  });

  it.each([{ origin: 'null' }, { origin: `https://${'a'.repeat(300)}.example` }, {}])(
    'repeats neither the allowlist nor the origin %j, which is no host',
    async (headers) => {
      const response = await start(listed, headers as Record<string, string>);
      expectError(response, 'origin_not_allowed', { message: /^This deployment accepts only requests from pages on/ });
      expect(response.body.error.message).not.toMatch(/shop|aaa/);
    },
  );
});
