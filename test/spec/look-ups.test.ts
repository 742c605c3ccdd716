import { type GraphQLField, getNullableType, isNonNullType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DECLARED } from '../support/declared.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, makeWorkspace, openSession, type Workspace } from '../support/tenants.ts';

let service: TestService;
let another: Workspace;
let owner: string;
beforeAll(async () => {
  service = await startService();
  another = await makeWorkspace(service);
  owner = await openSession(service, 'owner');
});
afterAll(() => service.close());

const UNKNOWN = '00000000-0000-4000-8000-0000000000ff';

/** An argument for an object that does not exist. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  by: '{ id: "x" }',
  deploymentId: `"${UNKNOWN}"`,
  token: '"x"',
};

/** IDs of other forms than a text. */
const IDS: Readonly<Record<string, string>> = {
  conversation: `"${UNKNOWN}"`,
  deployment: `"${UNKNOWN}"`,
  run: `"${UNKNOWN}"`,
  workflow: '999999',
};

/** They do not look up an object by an argument that can be unknown. `nodes.test.ts` covers `node`. */
const OTHERS = ['endUserIssuer', 'me', 'node', 'setupProgress'];

/** Only for signed-in members. */
const OF_SESSIONS = ['connectionRequest'];

const lookUps = Object.values(DECLARED.getQueryType()?.getFields() ?? {}).filter(
  ({ name, type }) => !isNonNullType(type) && isObjectType(getNullableType(type)) && !OTHERS.includes(name),
);

function documentOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(({ type }) => isNonNullType(type));
  return `{ ${name}(${required.map((arg) => `${arg.name}: ${ARGUMENTS[arg.name] ?? IDS[name] ?? '"x"'}`).join(', ')}) { __typename } }`;
}

describe('a look-up of one object', () => {
  it('exists for each kind of object', () => expect(lookUps.length).toBeGreaterThan(9));

  it.each(lookUps)('$name returns null and no error if the object does not exist', async (field) => {
    for (const key of OF_SESSIONS.includes(field.name) ? [owner] : [owner, service.keys.live]) {
      expect((await service.graphql(documentOf(field), {}, { key })).body).toEqual({ data: { [field.name]: null } });
    }
  });

  it('returns null for an object of another workspace, as for an unknown one', async () => {
    const document = '{ deployment(id: "%") { name } }'.replace('%', another.deploymentId);
    expect((await service.graphql(document)).body).toEqual({ data: { deployment: null } });
  });

  it('keeps the results of the other fields', async () => {
    const { body } = await service.graphql('{ resource(id: "x") { type } resources { totalCount } }');
    expect(body).toEqual({ data: { resource: null, resources: { totalCount: 0 } } });
  });

  it('is still an error without the scope', async () => {
    const key = await makeKey(service, { scopes: ['events:read'] });
    const facts = { required_scope: 'resources:read' };
    expectGraphqlError(await service.graphql('{ resource(id: "x") { type } }', {}, { key }), 'forbidden', { facts });
  });

  it('is 404 in the REST API, with the same message as before', async () => {
    const message = 'There is no resource with this ID in this environment. Check id.';
    expectError(await service.send('GET', '/v1/resources/x'), 'not_found', { param: 'id', message });
    const path = `/v1/runner/conversation/${UNKNOWN}/messages`;
    expectError(await service.send('GET', path), 'not_found', { param: 'conversation_id' });
  });
});
