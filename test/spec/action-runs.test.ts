import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let api: Receiver;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  api = await startReceiver();
});
afterEach(() => api.close());

const SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

const publishAction = (integration: string) =>
  publishScripted(service, workflowsOf(service), {
    httpActions: [{ name: 'post', integration, method: 'POST', url: '', inputSchema: SCHEMA }],
  });

const disconnect = (id: string) =>
  service.graphql(
    'mutation ($id: ID!) { disconnectIntegration(input: { id: $id }) { __typename ... on DisconnectIntegrationPayload { integration { id } } ... on Error { code message path } } }',
    { id },
  );

describe('the integration of an action', () => {
  it('is the newest connected integration with its name in the environment of the run', async () => {
    const named = (value: string) => ({
      kind: 'http' as const,
      name: 'Both',
      url: api.url,
      headers: [{ name: 'X-Token', value }],
    });
    const { live, test } = service.keys;
    await connect(service, named('live-token'), { key: live });
    await connect(service, named('test-token'), { key: test });
    const { call } = await publishAction('Both');
    const tokenOf = async (key: string) => {
      await call('/call post {"id":"1"}', { key });
      return api.received.at(-1)?.headers['x-token'];
    };
    expect([await tokenOf(live), await tokenOf(test)]).toEqual(['live-token', 'test-token']);
    const newer = await connect(service, named('newer-token'), { key: live });
    expect(await tokenOf(live)).toBe('newer-token');
    await disconnect(newer);
    expect(await tokenOf(live)).toBe('live-token');
  });

  it('cannot be an MCP server', async () => {
    await connect(service, { kind: 'mcp', name: 'Tools', url: api.url });
    const { call } = await publishAction('Tools');
    expect((await call('/call post {"id":"1"}')).outputs[0].error).toContain('No integration "Tools" is connected');
  });
});

describe('a stream whose client disconnects during an action', () => {
  it('stops the action, starts no other, and interrupts the run', async () => {
    await connect(service, { kind: 'http', name: 'Slow', url: api.url });
    const { deploymentId, historyOf } = await publishAction('Slow');
    api.respondWith(() => {});
    const controller = new AbortController();
    const script = '/call post {"id":"1"} && /call post {"id":"2"}\n/say never';
    const response = fetch(`${service.url}/v1/runner/${deploymentId}/conversation/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': service.keys.live },
      body: JSON.stringify({ content: [{ type: 'text', text: script }] }),
      signal: controller.signal,
    });
    await api.waitForCount(1);
    const { nodes } = (await service.graphql('{ conversations(first: 1) { nodes { conversationId } } }')).body.data
      .conversations;
    const [{ conversationId }] = nodes;
    controller.abort();
    await response.then((result) => result.text()).catch(() => {});
    const { prisma } = service.service.services.stores;
    const ended = await until(async () => {
      const run = await prisma.run.findFirstOrThrow({ where: { conversationId } });
      return run.status !== 'running' && run;
    });
    expect(ended.status).toBe('interrupted');
    const items = await historyOf(conversationId);
    expect(items.slice(1).map(({ type, status }) => [type, status])).toEqual([
      ['action', 'failed'],
      ['action', 'failed'],
    ]);
    expect(api.received).toHaveLength(1);
    const calls = await prisma.timelineItem.findMany({
      where: { conversationId, kind: 'action' },
      orderBy: { id: 'asc' },
    });
    expect(calls.map(({ output }) => output)).toEqual([
      { error: 'The turn was stopped while this action ran. Its effect is not known.' },
      { error: 'The turn was stopped before this action started.' },
    ]);
  });
});

describe('an action that cannot be stored', () => {
  it('fails with its turn, so that no run stays running', async () => {
    await connect(service, { kind: 'http', name: 'Lost', url: api.url });
    const { turn, historyOf } = await publishAction('Lost');
    const { prisma } = service.service.services.stores;
    await prisma.$executeRaw`ALTER TABLE timeline_item ADD CONSTRAINT no_result CHECK (output->>'status' <> '418')`;
    api.respondWith(withStatus(418));
    const { status, body } = await turn('/call post {"id":"1"}');
    await prisma.$executeRaw`ALTER TABLE timeline_item DROP CONSTRAINT no_result`;
    expect(status).toBe(500);
    expect(body.error.code).toBe('internal_error');
    const { nodes } = (
      await service.graphql('{ conversations(first: 1) { nodes { conversationId latestRun { status } } } }')
    ).body.data.conversations;
    expect(nodes[0].latestRun.status).toBe('FAILED');
    expect((await historyOf(nodes[0].conversationId)).at(-1)).toMatchObject({ type: 'action', status: 'failed' });
  });
});
