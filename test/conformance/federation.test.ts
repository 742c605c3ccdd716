import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ federation: true });
});
afterAll(() => service.close());

/** A subgraph of another team: it extends a node, refers to one, and has Relay connections of its own. */
const TICKETS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  type Query { tickets(first: Int, after: String): TicketConnection! }
  type Ticket @key(fields: "number") { number: ID! about: Resource discussion: Conversation }
  type TicketConnection { edges: [TicketEdge!]! pageInfo: PageInfo! }
  type TicketEdge { cursor: String! node: Ticket! }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type Resource @key(fields: "id") { id: ID! tickets: [Ticket!]! }
  type Conversation @key(fields: "id", resolvable: false) { id: ID! }
`;

const compose = async () => {
  const { body } = await service.graphql('{ _service { sdl } }', {}, { key: null });
  return composeServices([
    { name: 'parley', url: `${service.url}/graphql`, typeDefs: parse(body.data._service.sdl) },
    { name: 'tickets', url: 'http://localhost/tickets', typeDefs: parse(TICKETS) },
  ]);
};

describe('Apollo Federation', () => {
  it('composes the subgraph with another one', async () => {
    const { errors, supergraphSdl, schema } = await compose();
    expect(errors).toBeUndefined();
    expect(supergraphSdl).toContain('@join__type(graph: PARLEY, key: "id")');
    const resource = schema?.toAPISchema().type('Resource');
    expect(resource && 'fields' in resource && resource.fields().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['id', 'fields', 'tickets']),
    );
  });

  it('finds a conflict, so that the first test means something', async () => {
    const { errors } = composeServices([
      {
        name: 'parley',
        url: '',
        typeDefs: parse((await service.graphql('{ _service { sdl } }')).body.data._service.sdl),
      },
      { name: 'other', url: '', typeDefs: parse('type Query { me: Int }') },
    ]);
    expect(errors?.map(({ message }) => message).join()).toContain('Query.me');
  });
});
