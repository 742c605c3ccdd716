import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { CREATE_KEY, createKey, updateKey } from '../support/keys.ts';
import { errorOf, globalId, mutationOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';

let service: TestService;
/** A key of the demo chat, and a conversation of each demo deployment. */
let bound: { readonly id: string; readonly secret: string };
let own: string;
let foreign: string;
const SCOPES = ['CONVERSATIONS_READ', 'CONVERSATIONS_WRITE', 'TRIGGERS_READ', 'TRIGGERS_WRITE'];
const UNKNOWN = '00000000-0000-4000-8000-0000000000ff';

beforeAll(async () => {
  service = await startService();
  bound = await createKey(service, { scopes: SCOPES, deploymentIds: [DEMO_CHAT_ID] });
  own = (await service.chat('Mine')).body.conversation_id;
  foreign = (await service.agentTurn('Theirs')).body.conversation_id;
});
afterAll(() => service.close());

const create = (settings: object) =>
  service.graphql(CREATE_KEY, { input: { name: 'A', scopes: ['CONVERSATIONS_READ'], ...settings } });
const asBound = (query: string, variables: object = {}) => service.graphql(query, variables, { key: bound.secret });

describe('a key is bound to deployments', () => {
  it('only of its workspace', async () => {
    const another = await makeWorkspace(service);
    for (const id of [UNKNOWN, another.deploymentId]) {
      const response = await create({ deploymentIds: [DEMO_CHAT_ID, id] });
      expectGraphqlError(response, 'invalid_request', { param: 'deploymentIds[1]' });
    }
  });

  it('only if its scopes are about conversations and triggers', async () => {
    for (const scope of ['EVENTS_READ', 'WORKFLOWS_READ', 'KEYS_MANAGE', 'RESOURCES_READ', 'TRACES_READ']) {
      const response = await create({ scopes: ['CONVERSATIONS_READ', scope], deploymentIds: [DEMO_CHAT_ID] });
      expectGraphqlError(response, 'invalid_request', { param: 'deploymentIds' });
    }
    const { id } = await createKey(service, { scopes: ['EVENTS_READ'] });
    const changed = await updateKey(service, id, { deploymentIds: [DEMO_CHAT_ID] });
    expectGraphqlError(changed, 'invalid_request', { param: 'deploymentIds' });
  });

  it('at most as many as the limit, and not to an empty list', async () => {
    const many = Array.from({ length: LIMITS.keyDeployments + 1 }, () => DEMO_CHAT_ID);
    expectGraphqlError(await create({ deploymentIds: many }), 'invalid_request', { param: 'deploymentIds' });
    expectGraphqlError(await create({ deploymentIds: [] }), 'invalid_request', { param: 'deploymentIds' });
    const { apiKey } = await createKey(service, {
      scopes: SCOPES,
      deploymentIds: many.slice(1).map((id, index) => (index === 0 ? DEMO_AGENT_ID : id)),
    });
    expect(apiKey.deploymentIds).toEqual([DEMO_AGENT_ID, DEMO_CHAT_ID]);
  });
});

describe('a bound key', () => {
  it('lists only conversations and triggers of its deployments', async () => {
    for (const id of [DEMO_CHAT_ID, DEMO_AGENT_ID]) {
      await service.send('POST', `/v1/runner/${id}/trigger`, { body: { content: [{ type: 'text', text: 'Hi' }] } });
    }
    const { body } = await asBound(`{
      conversations(first: 100) { totalCount nodes { conversationId deploymentId } }
      triggers(first: 100) { totalCount nodes { deploymentId } }
      conversationTotals { conversations }
    }`);
    const { conversations, triggers, conversationTotals } = body.data;
    expect(conversations.nodes).toEqual([{ conversationId: own, deploymentId: DEMO_CHAT_ID }]);
    expect(triggers.nodes).toEqual([{ deploymentId: DEMO_CHAT_ID }]);
    expect([conversations.totalCount, triggers.totalCount, conversationTotals.conversations]).toEqual([1, 1, 1]);
    const filters = ['deploymentId: $id', 'deploymentId: $id, text: "Theirs"', 'search: "Theirs"', 'anyId: $text'];
    for (const filter of filters) {
      const found = await asBound(
        `query ($id: ID = "${DEMO_AGENT_ID}", $text: ID = "${foreign}") {
          conversations(filter: { ${filter} }) { totalCount nodes { conversationId } } __typename @skip(if: false)
          unused: conversation(id: $id) { name }
          other: conversations(filter: { anyId: $text }) { totalCount }
        }`,
      );
      expect(found.body.data.conversations, filter).toEqual({ totalCount: 0, nodes: [] });
    }
    const page = await service.send('GET', '/v1/runner/conversations', { key: bound.secret });
    expect(page.body).toMatchObject({ total: 1, items: [{ conversation_id: own }] });
  });

  it('gets the response of an unknown ID for every other conversation, in both APIs', async () => {
    const read = (id: string) =>
      service.send('GET', `/v1/runner/conversation/${id}/messages`, {
        key: bound.secret,
        headers: { 'x-request-id': 'same' },
      });
    const [denied, unknown] = [await read(foreign), await read(UNKNOWN)];
    expect(denied.status).toBe(404);
    expect(denied.body).toEqual(unknown.body);
    const query = 'query ($id: ID!) { conversation(id: $id) { name } }';
    for (const id of [foreign, UNKNOWN]) {
      expect((await asBound(query, { id })).body.data).toEqual({ conversation: null });
    }
    // 404 takes precedence over an invalid body, for both.
    for (const id of [foreign, UNKNOWN]) {
      const response = await service.send('PATCH', `/v1/runner/conversation/${id}`, {
        key: bound.secret,
        body: { name: 5 },
      });
      expect(response.status).toBe(404);
    }
  });

  it('cannot hide a conversation in the default value of a variable', async () => {
    const { body } = await asBound(`query ($id: ID = "${foreign}") { conversation(id: $id) { name } }`);
    expect(body.data).toEqual({ conversation: null });
    const stop = mutationOf('stopTurn', '{ conversation { name } }');
    const hidden = stop.replace('$input: StopTurnInput!', `$input: StopTurnInput! = { conversationId: "${foreign}" }`);
    expect(errorOf(await asBound(hidden))?.code).toBe('not_found');
  });

  it('reaches its own conversation by its global ID, and no other', async () => {
    const query = 'query ($id: ID!) { conversation(id: $id) { name } }';
    const read = async (id: string) => (await asBound(query, { id: globalId('Conversation', id) })).body.data;
    expect(await read(own)).toEqual({ conversation: { name: 'Mine' } });
    expect(await read(foreign)).toEqual({ conversation: null });
    const stop = mutationOf('stopTurn', '{ conversation { name } }');
    const input = { conversationId: globalId('Conversation', foreign) };
    expect(errorOf(await asBound(stop, { input }))?.code).toBe('not_found');
  });

  it('cannot reach a second conversation with a second field of the same request', async () => {
    const { body } = await asBound(
      'query ($a: ID!, $b: ID!) { a: conversation(id: $a) { name } b: conversation(id: $b) { name } }',
      { a: own, b: foreign },
    );
    expect(body.data).toEqual({ a: { name: 'Mine' }, b: null });
  });

  it('cannot continue a conversation of another deployment under its own deployment', async () => {
    const response = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
      key: bound.secret,
      body: { conversation_id: foreign, content: [{ type: 'text', text: 'Hello' }] },
    });
    expect(response.status).toBe(404);
  });

  it('does not see the workspace around its conversations', async () => {
    const { body } = await asBound(
      `query ($id: ID!) { conversation(id: $id) {
        deployment { name } environment { workspace { name } } latestRun { requestId conversation { name } } trigger { triggerId } } }`,
      { id: own },
    );
    expect(body.data.conversation).toEqual({
      deployment: null,
      environment: null,
      latestRun: { requestId: expect.any(String), conversation: { name: 'Mine' } },
      trigger: null,
    });
  });

  it('does not leave its conversations even with a scope for the whole environment', async () => {
    // The API creates no such key.
    const key = await makeKey(service, { deploymentIds: [DEMO_CHAT_ID] });
    const { body } = await service.graphql(
      `query ($id: ID!) { conversation(id: $id) { deployment { name } workflowLogs { nodes { model } } } }`,
      { id: own },
      { key },
    );
    expect(body.data.conversation).toEqual({ deployment: null, workflowLogs: null });
  });

  it('follows only its deployments, and its stream breaks if it is bound to others', async () => {
    const key = await createKey(service, { scopes: SCOPES, deploymentIds: [DEMO_CHAT_ID] });
    const stream = await subscribe(
      service,
      'subscription { conversationsChanged { conversation { deploymentId } } }',
      {},
      key.secret,
    );
    await service.agentTurn('Not for the stream');
    await service.chat('For the stream');
    const event = await stream.next();
    expect(event.data.conversationsChanged.conversation).toEqual({ deploymentId: DEMO_CHAT_ID });
    await updateKey(service, key.id, { deploymentIds: [DEMO_AGENT_ID] });
    const readAll = async () => {
      for (let next = await stream.next(); next !== undefined; next = await stream.next()) {
        expect(JSON.stringify(next)).not.toContain(DEMO_AGENT_ID);
      }
    };
    await expect(readAll()).rejects.toThrow('terminated');
  });

  it('does not get the stored response of another key', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const send = (key: string) =>
      service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
        key,
        headers,
        body: { content: [{ type: 'text', text: 'Once' }] },
      });
    const first = await send(service.keys.live);
    const second = await send(bound.secret);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.conversation_id).not.toBe(first.body.conversation_id);
    expect((await send(bound.secret)).body).toEqual(second.body);
  });

  it('needs no further statement for a deployment, and one for a conversation', async () => {
    const count = async (key: string, path: string) => {
      service.takeStatements();
      expect((await service.send('GET', path, { key })).status).toBe(200);
      return service.takeStatements().length;
    };
    const list = `/v1/runner/${DEMO_CHAT_ID}/conversations`;
    expect(await count(bound.secret, list)).toBe(await count(service.keys.live, list));
    const messages = `/v1/runner/conversation/${own}/messages`;
    expect(await count(bound.secret, messages)).toBe((await count(service.keys.live, messages)) + 1);
  });
});
