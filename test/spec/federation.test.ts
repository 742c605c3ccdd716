import { type ConstDirectiveNode, Kind, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { DECLARED } from '../support/declared.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let plain: TestService;
let conversation: Representation;
let resource: Representation;
beforeAll(async () => {
  service = await startService({ federation: true });
  plain = await startService();
  await service.chat('Hello');
  const { body } = await service.graphql('{ conversations { nodes { __typename id } } }');
  conversation = body.data.conversations.nodes[0];
  resource = await createResource();
});
afterAll(async () => {
  await service.close();
  await plain.close();
});

interface Representation {
  readonly __typename: unknown;
  readonly id: unknown;
}

async function createResource(): Promise<Representation> {
  const create =
    'mutation { createResource(input: { type: "thing", fields: {} }) { __typename ... on CreateResourcePayload { resource { __typename id } } ... on Error { code message path } } }';
  return (await service.graphql(create)).body.data.createResource.resource;
}

const ENTITIES = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on Conversation { id name } ... on Resource { id type } } }`;

const entities = (representations: readonly unknown[], key?: string | null) =>
  service.graphql(ENTITIES, { representations }, key === undefined ? {} : { key });

const globalId = (typename: string, local: string) => Buffer.from(`${typename}:${local}`).toString('base64');

const NODES = DECLARED.getPossibleTypes(DECLARED.getType('Node') as never).map(({ name }) => name);

const SDL = '{ _service { sdl } }';

const sdlOf = async (from: TestService): Promise<string> =>
  (await from.graphql(SDL, {}, { key: null })).body.data._service.sdl;

describe('FEDERATION=off', () => {
  it('is the default: the schema has neither _service nor _entities', async () => {
    expectGraphqlError(await plain.graphql(SDL), 'invalid_request', { message: '_service' });
    const rejected = await plain.graphql('{ _entities(representations: []) { __typename } }');
    expectGraphqlError(rejected, 'invalid_request', { message: '_entities' });
  });
});

describe('FEDERATION=on: _service', () => {
  it('has @key on every node and on nothing else', async () => {
    const keyed = parse(await sdlOf(service)).definitions.flatMap((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION && keysOf(node.directives).length > 0
        ? [[node.name.value, keysOf(node.directives)]]
        : [],
    );
    expect(keyed).toEqual([...NODES].sort().map((name) => [name, ['id']]));
  });

  it('needs no credentials, like /schema.graphql, which it repeats', async () => {
    const { body: schema } = await service.send('GET', '/schema.graphql', { key: null });
    const sdl = await sdlOf(service);
    const withoutFederation = sdl
      .replace(/^extend schema\n.*\n\n/, '')
      .replaceAll(/ @(key\(fields: "id"\)|shareable)/g, '');
    // Composition does not know @oneOf.
    expect(withoutFederation).toBe(schema.replaceAll(' @oneOf', ''));
    expect(schema).not.toContain('_entities');
  });

  it('does not exist with INTROSPECTION=off', async () => {
    const closed = await startService({ federation: true, introspection: false });
    expectGraphqlError(await closed.graphql(SDL), 'invalid_request');
    const { body } = await closed.graphql(ENTITIES, { representations: [] });
    expect(body).toEqual({ data: { _entities: [] } });
    await closed.close();
  });
});

function keysOf(directives: readonly ConstDirectiveNode[] = []): string[] {
  return directives.flatMap(({ name, arguments: args = [] }) => {
    const value = args[0]?.value;
    return name.value === 'key' && value?.kind === Kind.STRING ? [value.value] : [];
  });
}

describe('FEDERATION=on: _entities', () => {
  it('returns nodes in the order of the representations, null for unknown IDs, and repeated nodes twice', async () => {
    const missing = { __typename: 'Event', id: globalId('Event', 'evt_00000000000000000000000000') };
    const { body } = await entities([resource, missing, conversation, resource]);
    const [thing, talk] = [
      { ...resource, type: 'thing' },
      { ...conversation, name: 'Hello' },
    ];
    expect(body).toEqual({ data: { _entities: [thing, null, talk, thing] } });
  });

  it('accepts literals, and ignores further fields', async () => {
    const literal = `{ __typename: "Resource", id: "${resource.id}", other: 1 }`;
    const { body } = await service.graphql(`{ _entities(representations: [${literal}]) { ... on Resource { id } } }`);
    expect(body).toEqual({ data: { _entities: [{ id: resource.id }] } });
  });

  it.each([
    ['a type that is not a node', { __typename: 'Query' }, 'representations[0].__typename'],
    ['an unknown type', { __typename: '__proto__' }, 'representations[0].__typename'],
    ['the ID of another type', { __typename: 'Event' }, 'representations[0].id'],
    ['an ID that is not a global ID', { id: 'res_1' }, 'representations[0].id'],
    ['an ID with a NUL character', { id: globalId('Resource', 'a\0b') }, 'representations[0].id'],
    ['no ID', { id: undefined }, 'representations[0]'],
    ['a number as ID', { id: 5 }, 'representations[0]'],
    ['no type', { __typename: undefined }, 'representations[0]'],
  ])('rejects %s, and names the place', async (_name, change, param) => {
    expectGraphqlError(await entities([{ ...resource, ...change }]), 'invalid_request', { param });
  });

  it.each([null, 'x', 5, []])('rejects %j as a representation', async (wrong) => {
    expectGraphqlError(await entities([wrong]), 'invalid_request', { param: 'representations[0]' });
  });

  it(`accepts ${LIMITS.entities} representations, and no more`, async () => {
    const many = Array.from({ length: LIMITS.entities }, () => resource);
    expect((await entities(many)).body.data._entities).toHaveLength(LIMITS.entities);
    expectGraphqlError(await entities([...many, resource]), 'invalid_request', { param: 'representations' });
  });

  it('costs one per representation', async () => {
    const { body } = await service.graphql(
      ENTITIES,
      { representations: [resource, conversation, resource] },
      { headers: { 'x-query-cost': '1' } },
    );
    expect(body.extensions.cost.requested).toBe(3);
  });

  it('sends as many statements for ten nodes of a type as for one', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, createResource));
    for (let turn = 0; turn < 9; turn += 1) await service.chat('Hello');
    const { body } = await service.graphql('{ conversations(first: 10) { nodes { __typename id } } }');
    const statementsOf = async (nodes: readonly unknown[]) => {
      service.takeStatements();
      expect((await entities(nodes)).body.data._entities).not.toContain(null);
      return service.takeStatements().length;
    };
    for (const nodes of [ten, body.data.conversations.nodes]) {
      expect(await statementsOf(nodes)).toBe(await statementsOf(nodes.slice(0, 1)));
    }
  });

  it('requires the scope of every type, and credentials', async () => {
    const reader = await makeKey(service, { scopes: ['resources:read'] });
    expect(errorOf(await entities([resource], reader))).toBeUndefined();
    const rejected = await entities([resource, conversation], reader);
    expectGraphqlError(rejected, 'forbidden', { facts: { required_scope: 'conversations:read' } });
    expectGraphqlError(await entities([resource], null), 'unauthorized');
    expectGraphqlError(await entities([], null), 'unauthorized');
  });

  it("returns null for nodes of the workspace's other environment", async () => {
    expect((await entities([resource, conversation], service.keys.test)).body).toEqual({
      data: { _entities: [null, null] },
    });
  });
});

describe('FEDERATION=on: REST', () => {
  it('is the same', async () => {
    const paths = ['/v1/resources?limit=1', '/v1/runner/conversations?page_size=1', '/v1/nothing'];
    for (const path of paths) {
      const [federated, other] = [await service.send('GET', path), await plain.send('GET', path)];
      expect([federated.status, Object.keys(federated.body)]).toEqual([other.status, Object.keys(other.body)]);
    }
  });
});
