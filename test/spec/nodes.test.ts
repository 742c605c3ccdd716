import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';

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

describe('global IDs', () => {
  it('identify their node', async () => {
    const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id ... on Conversation { name } } }', {
      id,
    });
    expect(body.data.node).toEqual({ id, name: 'Hello' });
  });

  it('return nodes in the order of the IDs, null for unknown IDs, and repeated nodes twice', async () => {
    const { body } = await service.graphql(
      'mutation { createResource(input: { type: "thing", fields: {} }) { __typename ... on CreateResourcePayload { resource { id } } ... on Error { code message path } } }',
    );
    const resource: string = body.data.createResource.resource.id;
    const missing = globalId('Conversation', '00000000-0000-4000-8000-0000000000ff');
    const ids = [resource, missing, id, resource, globalId('Event', 'evt_00000000000000000000000000'), id];
    const read = await service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
    const [thing, conversation] = [
      { __typename: 'Resource', id: resource },
      { __typename: 'Conversation', id },
    ];
    expect(read.body).toEqual({ data: { nodes: [thing, null, conversation, thing, null, conversation] } });
  });

  it('are read with one statement per type', async () => {
    for (let turn = 0; turn < 4; turn += 1) await service.chat('Hello');
    const { body } = await service.graphql('{ conversations(first: 5) { nodes { id } } }');
    const ids: string[] = body.data.conversations.nodes.map((node: { id: string }) => node.id);
    const statementsOf = async (some: readonly string[]) => {
      service.takeStatements();
      await service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Conversation { name } } }', {
        ids: some,
      });
      return service.takeStatements().length;
    };
    expect(ids).toHaveLength(5);
    expect(await statementsOf(ids)).toBe(await statementsOf(ids.slice(0, 1)));
  });

  it.each(['00000000-0000-4000-8000-0000000000ff', 'x', '5', '00000000-0000-4000-8000-00000000000', "' OR 1=1"])(
    'are null if no node has them (Conversation:%s), alone and among existing nodes',
    async (local) => {
      const missing = globalId('Conversation', local);
      const single = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: missing });
      expect(single.body).toEqual({ data: { node: null } });
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
  ])('are null if no node has them (%s:%s)', async (typename, local) => {
    const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', {
      id: globalId(typename, local),
    });
    expect(body).toEqual({ data: { node: null } });
  });

  it.each(['', 'abc', 'Conversation', 'Conversation:', 'Nope:1', '__proto__:1', 'Query:1', 'PendingAction:1'])(
    'are rejected if they are malformed (%s), and the error names the field',
    async (text) => {
      const wrong = text === 'abc' ? text : Buffer.from(text).toString('base64');
      const response = await service.graphql('query ($id: ID!) { it: node(id: $id) { id } }', { id: wrong });
      expectGraphqlError(response, 'invalid_request', { param: 'id' });
    },
  );
});

describe('the global ID of a session', () => {
  it('works for its own user only', async () => {
    const [own, other] = [await openSession(service, 'owner'), await openSession(service, 'admin')];
    const { body } = await service.graphql('{ sessions { id } }', {}, { key: own });
    const [session] = body.data.sessions;
    const query = 'query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }';
    const readAs = async (key: string) => (await service.graphql(query, { id: session.id }, { key })).body;
    expect(await readAs(own)).toEqual({ data: { node: session, nodes: [session] } });
    expect(await readAs(other)).toEqual({ data: { node: null, nodes: [null] } });
  });
});

describe('a global ID requires the same scope as its own field', () => {
  it('rejects all IDs if the key lacks the scope for one type, and names the scope', async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    const read = await service.graphql('query ($id: ID!) { resource(id: $id) { id } }', { id: body.data.id });
    const ids = [id, read.body.data.resource.id];
    const send = (key: string) => service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }, { key });
    const one = await makeKey(service, { scopes: ['conversations:read'] });
    expectGraphqlError(await send(one), 'forbidden', { facts: { required_scope: 'resources:read' } });
    const both = await makeKey(service, { scopes: ['conversations:read', 'resources:read'] });
    expect((await send(both)).body).toEqual({ data: { nodes: ids.map((each) => ({ id: each })) } });
  });

  it.each(['Resource:res_1', 'Event:evt_00000000000000000000000000', 'Event:x'])(
    'returns null for an unknown ID (%j)',
    async (text) => {
      const missing = Buffer.from(text).toString('base64');
      const { body } = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: missing });
      expect(body).toEqual({ data: { node: null } });
    },
  );
});
