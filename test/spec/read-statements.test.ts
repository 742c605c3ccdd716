import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
let resourceId: string;
beforeAll(async () => {
  service = await startService();
  const { body } = await service.send('POST', '/v1/resources', { body: { type: 'contact', fields: {} } });
  resourceId = body.data.id;
  // Each has a run, and the run of the agent has a call.
  await service.chat('a', { meta: { tier: 'gold' } });
  await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
});
afterAll(() => service.close());

const conversations = (id: string, query = '') => `/v1/runner/${id}/conversations${query}`;

describe('the SQL statements of a read, with the one that finds the credential', () => {
  it.each([
    ['a resource', () => `/v1/resources/${resourceId}`, 2],
    ['a list of resources', () => '/v1/resources', 2],
    ['an empty list of conversations', () => conversations(DEMO_CHAT_ID, '?page=2'), 3],
    ['a list of conversations with runs and calls', () => conversations(DEMO_AGENT_ID), 4],
    ['a list of conversations of the environment', () => '/v1/runner/conversations', 4],
    ['a list of conversations with a filter', () => conversations(DEMO_CHAT_ID, '?tier=gold'), 6],
  ])('are few for %s', async (_name, path, count) => {
    service.takeStatements();
    const { status } = await service.send('GET', path());
    expect(status).toBe(200);
    expect(service.takeStatements()).toHaveLength(count);
  });
});

describe('a list of conversations without a filter', () => {
  it('reads its total instead of counting', async () => {
    service.takeStatements();
    const { body } = await service.send('GET', '/v1/runner/conversations?page_size=1');
    expect(body).toMatchObject({ total: 2, has_more: true });
    const { body: graphql } = await service.graphql('{ conversations { totalCount } }');
    expect(graphql.data.conversations.totalCount).toBe(2);
    expect(service.takeStatements().filter((sql) => /count\(\*\)/.test(sql))).toEqual([]);
  });
});
