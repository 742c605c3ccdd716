import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const open of [true, false]) {
    await service.send('POST', '/v1/resources', { body: { type: 'ticket', fields: { open } } });
  }
});
afterAll(() => service.close());

const QUERIES: Record<string, [query: string, variables?: object]> = {
  'with variables, of which one has a default': [
    'query ($first: Int! = 1, $type: String) { resources(first: $first, filter: { type: $type }) { edges { node { type fields } } } }',
    { type: 'ticket' },
  ],
  'with fragments and aliases': [
    '{ ...All } fragment All on Query { list: resources(first: 2) { nodes { ...R } } } fragment R on Resource { kind: type __typename }',
  ],
  'with a fault at an aliased field': ['{ one: resource(id: "res_none") { type } list: resources { totalCount } }'],
  'with a fault below a fragment': [
    'query ($id: ID!) { ... on Query { ...F } } fragment F on Query { resource(id: $id) { resourceId } }',
    { id: 'res_01h455vb4pex5vsknk084sn02q' },
  ],
  'with directives': [
    '{ resources @include(if: false) { totalCount } other: resources { totalCount @skip(if: false) } }',
  ],
  'with two operations': ['query A { resources { totalCount } } query B { resources(first: 1) { nodes { type } } }'],
};

describe('a repeated query', () => {
  it.each(Object.entries(QUERIES))('has the same result when compiled: %s', async (_, [query, variables]) => {
    const operationName = query.startsWith('query A') ? 'B' : undefined;
    const ask = async () => {
      const body = { query, variables, ...(operationName && { operationName }) };
      const answer = await service.send('POST', '/graphql', { body });
      return { status: answer.status, body: answer.body };
    };
    const first = await ask();
    expect(first.body.data).toBeDefined();
    for (let again = 0; again < 4; again += 1) expect(await ask()).toEqual(first);
  });
});
