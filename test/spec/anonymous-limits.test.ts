import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
let deployment: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  deployment = (await makeDeployment(service, {}, { kind: 'agent', authRequired: false })).id;
});
afterAll(() => service.close());

const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } });

const turn = (address: string, content: object[], conversation?: string) =>
  service.send('POST', `/v2/runner/${deployment}/conversation`, {
    ...from(address),
    body: { content, ...(conversation && { conversation_id: conversation }) },
  });

describe('limits of callers without credentials by IP address', () => {
  it('count the turns of all conversations of an address together, before their content is read', async () => {
    const address = '198.51.100.10';
    const conversations: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      conversations.push((await turn(address, textContent('Hi'))).body.conversation_id);
    }
    const [last = '', ...others] = conversations;
    for (const conversation of others) {
      const refused = await Promise.all(Array.from({ length: 30 }, () => turn(address, [], conversation)));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]));
    }
    const over = await turn(address, textContent('Hi'), last);
    expectError(over, 'rate_limited');
    expect(over.headers.get('ratelimit-limit')).toBe('120');
    expect((await turn('198.51.100.11', textContent('Hi'), last)).status).toBe(200);
  });

  it('count each root field of a document', async () => {
    const address = '198.51.100.12';
    const fields = (count: number) =>
      Array.from(
        { length: count },
        (_, number) => `f${number}: runAgentTurn(input: { deploymentId: $id, content: [{ text: "Hi" }] }) {
          __typename ... on Error { code } }`,
      ).join('\n');
    const send = (count: number) =>
      service.graphql(`mutation ($id: ID!) { ${fields(count)} }`, { id: deployment }, from(address));
    for (let request = 0; request < 12; request += 1) {
      const { body } = await send(5);
      expect(body.errors).toBeUndefined();
    }
    expectGraphqlError(await send(1), 'rate_limited');
  });
});
