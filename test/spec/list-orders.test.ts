import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let times: string[];
beforeAll(async () => {
  service = await startService();
  for (const n of [1, 2, 3]) await service.send('POST', '/v1/resources', { body: { type: 'a', fields: { n } } });
  const { body } = await service.graphql('{ resources { nodes { createdAt } } }');
  times = body.data.resources.nodes.map(({ createdAt }: { createdAt: string }) => createdAt).reverse();
});
afterAll(() => service.close());

const LIST = `query ($filter: ResourceFilter, $orderBy: ResourceOrder, $after: String) {
  resources(first: 2, filter: $filter, orderBy: $orderBy, after: $after) {
    nodes { fields } totalCount pageInfo { endCursor hasNextPage } } }`;

const ASCENDING = { field: 'CREATED_AT', direction: 'ASC' };
const numbersOf = (page: { nodes: readonly { fields: { n: number } }[] }) => page.nodes.map(({ fields }) => fields.n);
const list = (variables: object) => service.graphql(LIST, variables);

describe('orderBy', () => {
  it('sorts a list in both directions, and its cursors continue in the same direction', async () => {
    const { resources: first } = (await list({ orderBy: ASCENDING })).body.data;
    expect(numbersOf(first)).toEqual([1, 2]);
    const after = first.pageInfo.endCursor;
    const { resources: second } = (await list({ orderBy: ASCENDING, after })).body.data;
    expect([numbersOf(second), second.pageInfo.hasNextPage]).toEqual([[3], false]);
    expect(numbersOf((await list({})).body.data.resources)).toEqual([3, 2]);
  });

  it('rejects a cursor of another order', async () => {
    const after = (await list({ orderBy: ASCENDING })).body.data.resources.pageInfo.endCursor;
    expectGraphqlError(await list({ after }), 'invalid_cursor', { param: 'after' });
  });
});

describe('a period in a filter', () => {
  it('includes its start and excludes its end', async () => {
    const [from, , to] = times;
    const { resources } = (await list({ filter: { createdAt: { from, to } }, orderBy: ASCENDING })).body.data;
    expect([numbersOf(resources), resources.totalCount]).toEqual([[1, 2], 2]);
  });

  it('is rejected if it ends before it starts', async () => {
    const createdAt = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expectGraphqlError(await list({ filter: { createdAt } }), 'invalid_request', { param: 'createdAt.from' });
  });
});
