import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { globalId } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let resourceId: string;
beforeAll(async () => {
  service = await startService();
  const { body } = await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } });
  resourceId = body.data.id;
});
afterAll(() => service.close());

const READ = 'query ($id: ID!) { resource(id: $id) { resourceId } }';

describe('an argument named id', () => {
  it('accepts the public ID and the global ID, as a variable and as a literal', async () => {
    const known = { data: { resource: { resourceId } } };
    for (const id of [resourceId, globalId('Resource', resourceId)]) {
      expect((await service.graphql(READ, { id })).body).toEqual(known);
      expect((await service.graphql(`{ resource(id: "${id}") { resourceId } }`)).body).toEqual(known);
    }
  });

  it('rejects the global ID of another type, and names the field', async () => {
    const response = await service.graphql(READ, { id: globalId('Event', 'evt_00000000000000000000000000') });
    expectGraphqlError(response, 'invalid_request', { param: 'id', message: 'id must be an ID of the type Resource.' });
  });

  it('rejects a NUL character, also within a global ID', async () => {
    for (const id of ['a\0b', globalId('Resource', 'a\0b')]) {
      expectGraphqlError(await service.graphql(READ, { id }), 'invalid_request', { param: 'id' });
    }
  });

  it('accepts only the public ID in a path of the REST API', async () => {
    const path = (id: string) => service.send('GET', `/v1/resources/${encodeURIComponent(id)}`);
    expect((await path(resourceId)).status).toBe(200);
    expect((await path(globalId('Resource', resourceId))).status).toBe(404);
  });
});
