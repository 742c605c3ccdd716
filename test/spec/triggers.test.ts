import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOUR = 3_600_000;

const create = (fields: object, deploymentId?: string) => createTrigger(service, fields, deploymentId);

const read = (id: string, deploymentId?: string) => readTrigger(service, id, deploymentId);

const start = (body: object, path: string) => service.send('POST', path, { body });

/** A stored, unused trigger. */
async function createdId(fields: object = {}, deploymentId?: string): Promise<string> {
  return (await create(fields, deploymentId)).body.id;
}

describe('creating a trigger', () => {
  it('stores variables of any name, __proto__ included, and starts a conversation with them', async () => {
    const text = '{"__proto__":"a","constructor":"b","toString":3}';
    const { body } = await create({ variables: JSON.parse(text), content: [{ type: 'text', text: '/instructions' }] });
    const entries = Object.entries(JSON.parse(text)).sort();
    expect(Object.entries(body.variables).sort()).toEqual(entries);
    expect(Object.entries((await read(body.id)).body.variables).sort()).toEqual(entries);
    const started = await start({ trigger_id: body.id }, `/v1/runner/${DEMO_CHAT_ID}/conversation`);
    expect(started.status).toBe(200);
    const { variables } = await service.service.services.stores.prisma.conversation.findFirstOrThrow({
      where: { id: started.body.conversation_id },
    });
    expect(Object.entries(variables as object).sort()).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', '3'],
    ]);
  });

  it('returns the whole trigger, which expires after 24 hours', async () => {
    const before = Date.now();
    const { status, body } = await create({ variables: { NAME: 'Ann', score: 7 }, ui_surface: 'assessment' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{8}$/),
      deployment_id: DEMO_CHAT_ID,
      workflow_id: expect.any(Number),
      ui_surface: 'assessment',
      content: [{ type: 'text', text: 'Hello' }],
      variables: { NAME: 'Ann', score: 7 },
      conversation_id: null,
      workflow_log_id: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      expired: false,
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(24 * HOUR);
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before);
  });

  it('accepts another time to live, or no time limit', async () => {
    const { body } = await create({ ttl_hours: 1 });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(HOUR);
    expect((await create({ ttl_hours: null })).body).toMatchObject({ expires_at: null, expired: false });
    expect((await create({ ttl_hours: 8_760 })).status).toBe(200);
  });

  it.each([
    ['no content', { content: undefined }, 'content'],
    ['empty content', { content: [] }, 'content'],
    ['a blank text', { content: textContent(' ') }, 'content[0].text'],
    ['a time to live of 0', { ttl_hours: 0 }, 'ttl_hours'],
    ['one of more than a year', { ttl_hours: 8_761 }, 'ttl_hours'],
    ['a fraction', { ttl_hours: 1.5 }, 'ttl_hours'],
    ['one that is text', { ttl_hours: '24' }, 'ttl_hours'],
    ['an empty ui_surface', { ui_surface: '' }, 'ui_surface'],
    ['one of 65 characters', { ui_surface: 'x'.repeat(65) }, 'ui_surface'],
    ['variables that are a list', { variables: ['a'] }, 'variables'],
    ['a variable with a wrong name', { variables: { 'a b': 'c' } }, 'variables'],
    ['a variable that is too long', { variables: { a: 'x'.repeat(10_001) } }, 'variables.a'],
    ['one that is too long as JSON', { variables: { a: ['x'.repeat(10_000)] } }, 'variables.a'],
  ])('rejects %s', async (_description, fields, param) => {
    expectError(await create(fields), 'invalid_request', { param });
  });

  it('returns 404 for an unpublished deployment', async () => {
    const { id } = await makeDeployment(service, {}, { published: false });
    expectError(await create({}, id), 'not_found', { param: 'deployment_id' });
  });
});

describe('the public read', () => {
  it('needs no credentials, forbids caching, and allows any origin', async () => {
    const { body: trigger } = await create({ variables: { NAME: 'Ann' } });
    const response = await read(trigger.id);
    expect(response).toMatchObject({ status: 200, body: trigger });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await service.send('OPTIONS', `/v1/runner/${DEMO_CHAT_ID}/trigger/${trigger.id}`, {
      key: null,
      headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('reports expiry, and returns 404 for an unknown ID and for another deployment', async () => {
    const id = await createdId();
    await expireTrigger(service, id);
    expect((await read(id)).body).toMatchObject({ id, expired: true });
    expectError(await read('00000000'), 'not_found', { param: 'trigger_id' });
    expectError(await read(id, DEMO_AGENT_ID), 'not_found', { param: 'trigger_id' });
  });
});

describe('a workflow that requires triggers', () => {
  it('returns 400 to a start without one, and accepts later turns without one', async () => {
    const { id, workflowId } = await makeDeployment(service, {}, { kind: 'agent' });
    const settings = `/v1/workflow/${workflowId}/trigger-settings`;
    const response = await service.send('POST', settings, { body: { trigger_required: true } });
    expect(response).toMatchObject({ status: 200, body: { workflow_id: workflowId, trigger_required: true } });
    for (const path of ['v1/runner/ID/conversation', 'v2/runner/ID/conversation', 'v1/runner/ID', 'v2/runner/ID']) {
      const rejected = await start({ content: textContent('Hello') }, `/${path.replace('ID', id)}`);
      expectError(rejected, 'trigger_required', { param: 'trigger_id' });
    }
    const { body } = await start({ trigger_id: await createdId({}, id) }, `/v2/runner/${id}/conversation`);
    const { conversation_id } = body;
    const next = await start({ conversation_id, content: textContent('More') }, `/v2/runner/${id}/conversation`);
    expect(next.body.content).toBe('You said: More');
    const meta = await service.send('GET', `/v1/runner/${id}/widget-meta`, { key: null });
    expect(meta.body).toEqual({
      deployment_id: id,
      name: 'Made',
      trigger_required: true,
      auth_required: true,
      kind: 'agent',
      chat_url: `https://chat.example.com/chat/${id}`,
      agent_url: `https://chat.example.com/agent/${id}`,
    });
    expect(meta.headers.get('access-control-allow-origin')).toBe('*');
    await service.send('POST', settings, { body: { trigger_required: false } });
    expect((await start({ content: textContent('Hello') }, `/v1/runner/${id}`)).status).toBe(200);
  });

  it.each([
    [{}, 'trigger_required'],
    [{ trigger_required: null }, 'trigger_required'],
    [{ trigger_required: 'yes' }, 'trigger_required'],
  ])('rejects the settings %j', async (body, param) => {
    const { workflowId } = await makeDeployment(service, {});
    const response = await service.send('POST', `/v1/workflow/${workflowId}/trigger-settings`, { body });
    expectError(response, 'invalid_request', { param });
  });

  it.each(['0', '-1', '1.5', 'abc', '99999999999'])('rejects the workflow ID %s', async (id) => {
    const body = { trigger_required: true };
    const response = await service.send('POST', `/v1/workflow/${id}/trigger-settings`, { body });
    expect([400, 404]).toContain(response.status);
    expect(response.body.error.param).toBe('workflow_id');
  });
});

describe('the list', () => {
  it('pages through a deployment, newest first', async () => {
    const { id } = await makeDeployment(service, {});
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.unshift(await createdId({}, id));
    const page = async (query: string) => (await service.send('GET', `/v1/runner/${id}/triggers?${query}`)).body;
    const first = await page('page_size=2');
    expect(first).toMatchObject({ total: 3, page: 1, page_size: 2, has_more: true });
    const second = await page('page_size=2&page=2');
    expect(second).toMatchObject({ total: 3, page: 2, has_more: false });
    expect([...first.items, ...second.items].map((item: { id: string }) => item.id)).toEqual(ids);
  });
});

describe('triggers in GraphQL', () => {
  it('are created, read without credentials, listed, and have hosted links', async () => {
    const { id: deploymentId } = await makeDeployment(service, {});
    const created = await service.graphql(
      `mutation ($input: CreateTriggerInput!) {
        createTrigger(input: $input) { __typename ... on CreateTriggerPayload { trigger { triggerId expiresAt chatUrl agentUrl } } ... on Error { code message path } }
      }`,
      { input: { deploymentId, content: graphText('Hi'), ttlHours: null } },
    );
    const { triggerId, ...rest } = created.body.data.createTrigger.trigger;
    const link = (page: string) => `https://chat.example.com/${page}/${deploymentId}?tid=${triggerId}`;
    expect(rest).toEqual({ expiresAt: null, chatUrl: link('chat'), agentUrl: link('agent') });
    const query = `query ($id: ID!, $trigger: ID!) {
      trigger(deploymentId: $id, id: $trigger) { triggerId expired content { ... on TextPart { text } } }
    }`;
    const publicRead = await service.graphql(query, { id: deploymentId, trigger: triggerId }, { key: null });
    expect(publicRead.body.data.trigger).toEqual({ triggerId, expired: false, content: [{ text: 'Hi' }] });
    const unknown = await service.graphql(query, { id: deploymentId, trigger: 'unknown1' }, { key: null });
    expect(unknown.body).toEqual({ data: { trigger: null } });
    const list = await service.graphql(
      'query ($id: ID!) { triggers(filter: { deploymentId: $id }) { nodes { triggerId } totalCount } }',
      { id: deploymentId },
    );
    expect(list.body.data.triggers).toEqual({ nodes: [{ triggerId }], totalCount: 1 });
    expectGraphqlError(await service.graphql('{ triggers { totalCount } }', {}, { key: null }), 'unauthorized');
  });
});

describe('public reads are limited by IP address', () => {
  it('allows 60 per minute, returns the remaining number, and then returns 429 on both APIs', async () => {
    const limited = await startService({ trustProxy: 1 });
    try {
      const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } });
      const path = `/v1/runner/${DEMO_CHAT_ID}/trigger/unknown1`;
      const first = await limited.send('GET', path, from('203.0.113.7'));
      expect(first.status).toBe(404);
      expect(first.headers.get('ratelimit-limit')).toBe('60');
      expect(first.headers.get('ratelimit-remaining')).toBe('59');
      expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
      const query = `{ trigger(deploymentId: "${DEMO_CHAT_ID}", id: "unknown1") { expired } }`;
      for (let count = 1; count < 60; count += 1) await limited.graphql(query, {}, from('203.0.113.7'));
      const rejected = await limited.send('GET', path, from('203.0.113.7'));
      expectError(rejected, 'rate_limited', { param: null });
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(rejected.headers.get('ratelimit-remaining')).toBe('0');
      expect(rejected.headers.get('access-control-allow-origin')).toBe('*');
      const byGraphql = await limited.graphql(query, {}, from('203.0.113.7'));
      expectGraphqlError(byGraphql, 'rate_limited');
      expect(byGraphql.headers.get('retry-after')).not.toBeNull();
      expect((await limited.send('GET', path, from('203.0.113.8'))).status).toBe(404);
      const left = async (address: string) =>
        (await limited.send('GET', path, from(address))).headers.get('ratelimit-remaining');
      expect(await left('2001:db8:1:2::1')).toBe('59');
      expect(await left('2001:db8:1:2:ffff::2')).toBe('58');
      expect(await left('2001:db8:1:3::1')).toBe('59');
    } finally {
      await limited.close();
    }
  });
});
