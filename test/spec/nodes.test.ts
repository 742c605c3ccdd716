import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startService();
  await service.chat('Hello');
  const { body } = await service.graphql('{ conversations { nodes { id } } }');
  id = body.data.conversations.nodes[0].id;
});
afterAll(() => service.close());

const globalId = (typename: string, local: string) => Buffer.from(`${typename}:${local}`).toString('base64');

describe('WIRE 13: global ids', () => {
  it('lead back to what they name', async () => {
    const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id ... on Conversation { name } } }', {
      id,
    });
    expect(body.data.node).toEqual({ id, name: 'Hello' });
  });

  it('of several types come in the order of the ids, with nulls between them, and twice where they are asked twice', async () => {
    const { body } = await service.graphql('mutation { createResource(input: { type: "thing", fields: {} }) { id } }');
    const resource: string = body.data.createResource.id;
    const missing = globalId('Conversation', '00000000-0000-4000-8000-0000000000ff');
    const ids = [resource, missing, id, resource, globalId('Event', 'evt_00000000000000000000000000'), id];
    const read = await service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
    const [thing, conversation] = [
      { __typename: 'Resource', id: resource },
      { __typename: 'Conversation', id },
    ];
    expect(read.body).toEqual({ data: { nodes: [thing, null, conversation, thing, null, conversation] } });
  });

  it.each(['00000000-0000-4000-8000-0000000000ff', 'x', '5', '00000000-0000-4000-8000-00000000000', "' OR 1=1"])(
    'are null where nothing has them (Conversation:%s), alone and among the nodes that are',
    async (local) => {
      const missing = globalId('Conversation', local);
      const alone = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: missing });
      expect(alone.body).toEqual({ data: { node: null } });
      const { body } = await service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
        ids: [id, missing],
      });
      expect(body).toEqual({ data: { nodes: [{ id }, null] } });
    },
  );

  it.each([
    ['Workflow', '999999999'],
    ['Workflow', '99999999999999999999'],
    ['Workflow', '-1'],
    ['Workflow', 'x'],
    ['Deployment', '00000000-0000-4000-8000-0000000000ff'],
    ['Deployment', 'x'],
  ])('are null where nothing has them (%s:%s)', async (typename, local) => {
    const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', {
      id: globalId(typename, local),
    });
    expect(body).toEqual({ data: { node: null } });
  });

  it.each(['', 'abc', 'Conversation', 'Conversation:', 'Nope:1', '__proto__:1', 'Query:1', 'Message:1'])(
    'that are none of a node (%s) are refused, and the field is named',
    async (text) => {
      const wrong = text === 'abc' ? text : Buffer.from(text).toString('base64');
      const answer = await service.graphql('query ($id: ID!) { it: node(id: $id) { id } }', { id: wrong });
      expectGraphqlError(answer, 'invalid_request', { param: 'id' });
    },
  );
});

describe('WIRE 4: a global id opens nothing that its own field would not', () => {
  it('one id of a type that the key may not read refuses them all, and names the scope', async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    const read = await service.graphql('query ($id: ID!) { resource(id: $id) { id } }', { id: body.data.id });
    const ids = [id, read.body.data.resource.id];
    const ask = (key: string) => service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }, { key });
    const one = await makeKey(service, { scopes: ['conversations:read'] });
    expectGraphqlError(await ask(one), 'forbidden', { facts: { required_scope: 'resources:read' } });
    const both = await makeKey(service, { scopes: ['conversations:read', 'resources:read'] });
    expect((await ask(both)).body).toEqual({ data: { nodes: ids.map((each) => ({ id: each })) } });
  });

  it.each(['Resource:res_1', 'Resource:\0', 'Event:evt_00000000000000000000000000', 'Event:x'])(
    'an id that nothing has (%j) is null',
    async (text) => {
      const missing = Buffer.from(text).toString('base64');
      const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: missing });
      expect(body).toEqual({ data: { node: null } });
    },
  );
});
