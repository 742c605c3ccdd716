import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../support/doors.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOUR = 3_600_000;

const create = (fields: object, deploymentId: string = DEMO_CHAT_ID) =>
  service.send('POST', `/v1/runner/${deploymentId}/trigger`, { body: { content: text('Hello'), ...fields } });

const read = (id: string, deploymentId: string = DEMO_CHAT_ID) =>
  service.send('GET', `/v1/runner/${deploymentId}/trigger/${id}`, { key: null });

const start = (body: object, path = `/v1/runner/${DEMO_CHAT_ID}/conversation`) => service.send('POST', path, { body });

/** A stored trigger, its first use left to the test. */
async function made(fields: object = {}, deploymentId: string = DEMO_CHAT_ID): Promise<string> {
  return (await create(fields, deploymentId)).body.id;
}

async function expire(id: string): Promise<void> {
  const expiresAt = new Date(Date.now() - 1);
  await service.service.services.prisma.trigger.update({ where: { id }, data: { expiresAt } });
}

describe('SPEC 4.7: creating a trigger', () => {
  it('answers the whole trigger, which expires after 24 hours', async () => {
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

  it('takes another time to live, or none', async () => {
    const { body } = await create({ ttl_hours: 1 });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(HOUR);
    expect((await create({ ttl_hours: null })).body).toMatchObject({ expires_at: null, expired: false });
    expect((await create({ ttl_hours: 8_760 })).status).toBe(200);
  });

  it.each([
    ['no content', { content: undefined }, 'content'],
    ['empty content', { content: [] }, 'content'],
    ['a blank text', { content: text(' ') }, 'content[0].text'],
    ['a time to live of 0', { ttl_hours: 0 }, 'ttl_hours'],
    ['one of more than a year', { ttl_hours: 8_761 }, 'ttl_hours'],
    ['one that is no whole number', { ttl_hours: 1.5 }, 'ttl_hours'],
    ['one that is text', { ttl_hours: '24' }, 'ttl_hours'],
    ['an empty ui_surface', { ui_surface: '' }, 'ui_surface'],
    ['one of 65 characters', { ui_surface: 'x'.repeat(65) }, 'ui_surface'],
    ['variables that are a list', { variables: ['a'] }, 'variables'],
    ['a variable with a wrong name', { variables: { 'a b': 'c' } }, 'variables'],
    ['a variable that is too long', { variables: { a: 'x'.repeat(10_001) } }, 'variables.a'],
    ['one that is too long as JSON', { variables: { a: ['x'.repeat(10_000)] } }, 'variables.a'],
  ])('refuses %s', async (_what, fields, param) => {
    expectError(await create(fields), 'invalid_request', { param });
  });

  it('is 404 for a deployment that is not published', async () => {
    const { id } = await makeDeployment(service, {}, { published: false });
    expectError(await create({}, id), 'not_found', { param: 'deployment_id' });
  });
});

describe('SPEC 4.7: the public read', () => {
  it('needs no credentials, may be kept by nobody, and is open to any origin', async () => {
    const { body: trigger } = await create({ variables: { NAME: 'Ann' } });
    const answer = await read(trigger.id);
    expect(answer).toMatchObject({ status: 200, body: trigger });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await service.send('OPTIONS', `/v1/runner/${DEMO_CHAT_ID}/trigger/${trigger.id}`, {
      key: null,
      headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('tells when it has expired, and is 404 for an unknown id and for another deployment', async () => {
    const id = await made();
    await expire(id);
    expect((await read(id)).body).toMatchObject({ id, expired: true });
    expectError(await read('00000000'), 'not_found', { param: 'trigger_id' });
    expectError(await read(id, DEMO_AGENT_ID), 'not_found', { param: 'trigger_id' });
  });
});

const FIRST_USES: readonly [string, string, object][] = [
  ['v1', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {}],
  ['v2', `/v2/runner/${DEMO_CHAT_ID}/conversation`, {}],
  ['the stream', `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, { accept: 'text/plain' }],
];

describe.each(FIRST_USES)('SPEC 4.7: first use by %s', (_name, path, headers) => {
  const use = (body: object) => service.send('POST', path, { body, headers: { ...headers } });
  const idOf = (answer: Awaited<ReturnType<typeof use>>): string =>
    answer.body.conversation_id ?? answer.headers.get('x-conversation-id');

  it('starts with what is stored, and links the conversation and its log line', async () => {
    const trigger = await made({ content: text('/instructions'), variables: { NAME: 'Ann', extra: { a: 1 } } });
    const first = await use({ trigger_id: trigger, content: [] });
    expect(first.status).toBe(200);
    const id = idOf(first);
    const messages = await service.send('GET', `/v1/runner/conversation/${id}/messages`);
    const words = messages.body.items.map((item: { content: { text: string }[] }) => item.content[0]?.text);
    expect(words).toEqual(['/instructions', expect.stringContaining('called Ann.')]);
    const linked = (await read(trigger)).body;
    expect(linked).toMatchObject({ conversation_id: id, workflow_log_id: expect.any(Number) });
    const { prisma } = service.service.services;
    const line = await prisma.workflowLog.findUniqueOrThrow({ where: { id: linked.workflow_log_id } });
    expect(line).toMatchObject({ conversationId: id, triggerId: trigger });
    const conversation = await prisma.conversation.findUniqueOrThrow({ where: { id } });
    expect(conversation.variables).toEqual({ NAME: 'Ann', extra: '{"a":1}' });
  });

  it('lets explicit content and variables override what is stored, name by name', async () => {
    const trigger = await made({ variables: { NAME: 'Ann', OTHER: 'kept' } });
    const first = await use({ trigger_id: trigger, content: text('/instructions'), variables: { NAME: 'Bob' } });
    const { prisma } = service.service.services;
    const conversation = await prisma.conversation.findUniqueOrThrow({
      where: { id: idOf(first) },
      include: { items: { orderBy: { id: 'asc' } } },
    });
    expect(conversation.variables).toEqual({ NAME: 'Bob', OTHER: 'kept' });
    expect(conversation.items[0]?.content).toEqual(text('/instructions'));
  });

  it('is refused once it was used, expired, unknown or of another deployment', async () => {
    const trigger = await made();
    const conversation_id = idOf(await use({ trigger_id: trigger }));
    const facts = { conversation_id };
    expectError(await use({ trigger_id: trigger }), 'trigger_already_used', { param: 'trigger_id', facts });
    const late = await made();
    await expire(late);
    expectError(await use({ trigger_id: late }), 'trigger_expired', { param: 'trigger_id' });
    expectError(await use({ trigger_id: 'unknown1' }), 'not_found', { param: 'trigger_id' });
    const foreign = await made({}, DEMO_AGENT_ID);
    expectError(await use({ trigger_id: foreign }), 'not_found', { param: 'trigger_id' });
  });

  it('may be named beside its own conversation, and beside no other', async () => {
    const trigger = await made();
    const conversation_id = idOf(await use({ trigger_id: trigger }));
    const content = text('More');
    expect((await use({ trigger_id: trigger, conversation_id, content })).status).toBe(200);
    expectError(await use({ trigger_id: trigger, conversation_id }), 'invalid_request', { param: 'content' });
    const mismatch = { param: 'trigger_id' };
    const other = await made();
    expectError(await use({ trigger_id: other, conversation_id, content }), 'trigger_conversation_mismatch', mismatch);
  });

  it('names what is wrong with the body before it looks at the trigger', async () => {
    expectError(await use({ trigger_id: 'unknown1', meta: [] }), 'invalid_request', { param: 'meta' });
    expectError(await use({ trigger_id: 7 }), 'invalid_request', { param: 'trigger_id' });
  });
});

describe('WIRE 8: a trigger that a resume names', () => {
  it('must be the one that started the conversation', async () => {
    const trigger = await made({ content: text('/ask') }, DEMO_AGENT_ID);
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const paused = await start({ trigger_id: trigger, client_capabilities: ['ask_user'] }, path);
    expect(paused.body.run_status).toBe('waiting_for_client_action');
    expect((await read(trigger, DEMO_AGENT_ID)).body.workflow_log_id).toEqual(expect.any(Number));
    const { conversation_id } = paused.body;
    const other = await made({}, DEMO_AGENT_ID);
    const resume = { conversation_id, tool_results: [{ call_id: 'call_x', output: {} }] };
    expectError(await start({ ...resume, trigger_id: other }, path), 'trigger_conversation_mismatch');
    const facts = { call_ids: ['call_x'] };
    expectError(await start({ ...resume, trigger_id: trigger }, path), 'unknown_call_id', { facts });
  });
});

describe('SPEC 4.7: a workflow that requires triggers', () => {
  it('answers 400 to a start without one, and takes later turns without', async () => {
    const { id, workflowId } = await makeDeployment(service, {}, { kind: 'agent' });
    const settings = `/v1/workflow/${workflowId}/trigger-settings`;
    const answer = await service.send('POST', settings, { body: { trigger_required: true } });
    expect(answer).toMatchObject({ status: 200, body: { workflow_id: workflowId, trigger_required: true } });
    for (const path of ['v1/runner/ID/conversation', 'v2/runner/ID/conversation', 'v1/runner/ID', 'v2/runner/ID']) {
      const refused = await start({ content: text('Hello') }, `/${path.replace('ID', id)}`);
      expectError(refused, 'trigger_required', { param: 'trigger_id' });
    }
    const { body } = await start({ trigger_id: await made({}, id) }, `/v2/runner/${id}/conversation`);
    const { conversation_id } = body;
    const next = await start({ conversation_id, content: text('More') }, `/v2/runner/${id}/conversation`);
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
    expect((await start({ content: text('Hello') }, `/v1/runner/${id}`)).status).toBe(200);
  });

  it.each([
    [{}, 'trigger_required'],
    [{ trigger_required: null }, 'trigger_required'],
    [{ trigger_required: 'yes' }, 'trigger_required'],
  ])('takes no settings like %j', async (body, param) => {
    const { workflowId } = await makeDeployment(service, {});
    const answer = await service.send('POST', `/v1/workflow/${workflowId}/trigger-settings`, { body });
    expectError(answer, 'invalid_request', { param });
  });

  it.each(['0', '-1', '1.5', 'abc', '99999999999'])('takes no workflow id like %s', async (id) => {
    const body = { trigger_required: true };
    const answer = await service.send('POST', `/v1/workflow/${id}/trigger-settings`, { body });
    expect([400, 404]).toContain(answer.status);
    expect(answer.body.error.param).toBe('workflow_id');
  });
});

describe('SPEC 4.7: the list', () => {
  it('pages through a deployment, newest first', async () => {
    const { id } = await makeDeployment(service, {});
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.unshift(await made({}, id));
    const page = async (query: string) => (await service.send('GET', `/v1/runner/${id}/triggers?${query}`)).body;
    const first = await page('page_size=2');
    expect(first).toMatchObject({ total: 3, page: 1, page_size: 2, has_more: true });
    const second = await page('page_size=2&page=2');
    expect(second).toMatchObject({ total: 3, page: 2, has_more: false });
    expect([...first.items, ...second.items].map((item: { id: string }) => item.id)).toEqual(ids);
  });
});

describe('triggers in GraphQL', () => {
  it('are created, read without credentials, with their hosted links, and listed', async () => {
    const { id: deploymentId } = await makeDeployment(service, {});
    const created = await service.graphql(
      `mutation ($id: UUID!, $input: TriggerInput!) {
        createTrigger(deploymentId: $id, input: $input) { triggerId expiresAt chatUrl agentUrl }
      }`,
      { id: deploymentId, input: { content: text('Hi'), ttlHours: null } },
    );
    const { triggerId, ...rest } = created.body.data.createTrigger;
    const link = (page: string) => `https://chat.example.com/${page}/${deploymentId}?tid=${triggerId}`;
    expect(rest).toEqual({ expiresAt: null, chatUrl: link('chat'), agentUrl: link('agent') });
    const query = `query ($id: UUID!, $trigger: String!) {
      trigger(deploymentId: $id, triggerId: $trigger) { triggerId expired content { ... on TextPart { text } } }
    }`;
    const publicRead = await service.graphql(query, { id: deploymentId, trigger: triggerId }, { key: null });
    expect(publicRead.body.data.trigger).toEqual({ triggerId, expired: false, content: [{ text: 'Hi' }] });
    const unknown = await service.graphql(query, { id: deploymentId, trigger: 'unknown1' }, { key: null });
    expectGraphqlError(unknown, 'not_found', { param: 'triggerId' });
    const list = await service.graphql(
      'query ($id: UUID!) { triggers(deploymentId: $id) { nodes { triggerId } totalCount } }',
      { id: deploymentId },
    );
    expect(list.body.data.triggers).toEqual({ nodes: [{ triggerId }], totalCount: 1 });
    expectGraphqlError(await service.graphql('{ triggers { totalCount } }', {}, { key: null }), 'unauthorized');
  });
});

describe('WIRE 14: public reads are limited by address', () => {
  it('takes 60 a minute, says what is left, and then answers 429 on both doors', async () => {
    const limited = await startService({ trustProxy: 1 });
    try {
      const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } });
      const path = `/v1/runner/${DEMO_CHAT_ID}/trigger/unknown1`;
      const first = await limited.send('GET', path, from('203.0.113.7'));
      expect(first.status).toBe(404);
      expect(first.headers.get('ratelimit-limit')).toBe('60');
      expect(first.headers.get('ratelimit-remaining')).toBe('59');
      expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
      const query = `{ trigger(deploymentId: "${DEMO_CHAT_ID}", triggerId: "unknown1") { expired } }`;
      for (let count = 1; count < 60; count += 1) await limited.graphql(query, {}, from('203.0.113.7'));
      const refused = await limited.send('GET', path, from('203.0.113.7'));
      expectError(refused, 'rate_limited', { param: null });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
      const byGraphql = await limited.graphql(query, {}, from('203.0.113.7'));
      expectGraphqlError(byGraphql, 'rate_limited');
      expect(byGraphql.headers.get('retry-after')).not.toBeNull();
      expect((await limited.send('GET', path, from('203.0.113.8'))).status).toBe(404);
    } finally {
      await limited.close();
    }
  });
});
