import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/contract/roles.ts';
import { SCOPES, type Scope } from '../../src/contract/scopes.ts';
import {
  EXPECTED_ERRORS,
  OWN_DATA,
  PUBLIC,
  SESSION_CLOSERS,
  SESSION_OPENERS,
  WITHOUT_MARKER,
  WORKSPACE_DATA,
} from '../support/access-cases.ts';
import { ALL_FIELDS, ALL_ROUTES, type Operation, sendOf } from '../support/all-operations.ts';
import { type Client, fromManyAddresses, type HttpResponse, withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { createFixtures, createFixturesFor, type Fixtures } from '../support/fixtures.ts';
import { sampleRefusals } from '../support/refusal-sample.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  makeDeployment,
  makeKey,
  makeMember,
  makeWorkspace,
  openSession,
  openSessionOf,
  rotateKey,
  type Workspace,
} from '../support/tenants.ts';
import { ALL_TRANSPORT_PATHS } from '../support/transport-operations.ts';
import { turnWith } from '../support/turn-operations.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
let another: Workspace;
let fixtures: Fixtures;
/** Expired credentials, and a browser of a visitor of another deployment. */
let expired: string;
let rotated: string;
let visitor: Client;
const sessions: Partial<Record<Role | 'stranger', string>> = {};
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback', federation: true }));
  another = await makeWorkspace(service);
  fixtures = await createFixtures(service);
  for (const role of ROLES) sessions[role] = await openSession(service, role);
  sessions.stranger = await strangerSession();
  expired = await openSession(service, 'owner', -1);
  rotated = await makeKey(service);
  await rotateKey(service, rotated);
  const { id } = await makeDeployment(service, {}, { kind: 'agent', hostedPage: true });
  visitor = withCookies(service, (await visit(service, id)).cookie);
});
afterAll(() => service.close());

/** A session of the first workspace, or of a stranger. An operation that ends its session gets a new one. */
async function sessionFor(caller: Role | 'stranger', operation: Operation): Promise<string | null> {
  if (!SESSION_CLOSERS.includes(operation.name)) return sessions[caller] ?? null;
  return caller === 'stranger' ? strangerSession() : openSession(service, caller);
}

async function strangerSession(): Promise<string> {
  return openSessionOf(service, await makeMember(service, 'owner', { workspaceId: another.id }));
}

const OTHER_ENVIRONMENT = 'a key of the other environment';

const OUTSIDERS: readonly [
  who: string,
  keyOf: (operation: Operation) => string | Promise<string | null>,
  isKey: boolean,
][] = [
  [OTHER_ENVIRONMENT, () => service.keys.test, true],
  ['a live key of another workspace', () => another.keys.live, true],
  ['a test key of another workspace', () => another.keys.test, true],
  ['an owner of another workspace', (operation) => sessionFor('stranger', operation), false],
];

const keys = new Map<string, Promise<string>>();

/** A key with these scopes, created once. */
function keyWith(scopes: readonly Scope[]): Promise<string> {
  const name = scopes.join();
  const key = keys.get(name) ?? makeKey(service, { scopes });
  keys.set(name, key);
  return key;
}

const codeOf = (response: HttpResponse): string | undefined => errorOf(response)?.code;

/** Expects a not_found error, null, or a list without items. */
function expectNoData({ status, body }: HttpResponse): void {
  const error = errorOf({ body });
  if (error) {
    expect(error.code).toBe('not_found');
    return;
  }
  expect(status).toBe(200);
  const values = body.data ? Object.values(body.data) : [body];
  for (const value of values) expect(itemsOf(value)).toEqual([]);
}

function itemsOf(value: unknown): unknown[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray);
  return list ? list.filter((item: unknown) => item !== null) : [value];
}

const READ_BACK = `query ($own: ID!, $waiting: ID!, $resource: ID!, $integration: ID!, $endpoint: ID!, $member: ID!) {
  own: conversation(id: $own) { ...all } waiting: conversation(id: $waiting) { ...all }
  resource(id: $resource) { fields updatedAt } events(filter: { resourceId: $resource }) { nodes { eventId type payload { json } } }
  integration(id: $integration) { name url connected }
  webhookEndpoint(id: $endpoint) { description enabled updatedAt deliveries(first: 100) { nodes { type } } }
  node(id: $member) { ... on Member { role } } invitations(first: 100) { nodes { invitationId } }
}
fragment all on Conversation { name status meta history(last: 100) { nodes { id type } } }`;

/** What the owner reads of all fixtures. */
async function readBack({ conversationId, waiting, resource, hooks, member }: Fixtures): Promise<unknown> {
  const { integrationId: integration, endpointId: endpoint } = hooks;
  const ids = { own: conversationId, waiting: waiting.conversationId, resource: resource.resourceId };
  const variables = { ...ids, integration, endpoint, member: member.nodeId };
  const { body } = await service.graphql(READ_BACK, variables, { key: sessions.owner ?? null });
  expect(body.errors).toBeUndefined();
  const { invitations, webhookEndpoint, ...read } = body.data;
  const isOpen = JSON.stringify(invitations).includes(member.invitationId);
  // Deliveries of earlier events of the owner may arrive at any time.
  const { deliveries, ...settings } = webhookEndpoint;
  const requests = deliveries.nodes.filter(({ type }: { type: string }) => type === 'WEBHOOK_TEST');
  return { ...read, ...settings, asked: requests, isOpen };
}

const OPERATIONS = [...ALL_FIELDS, ...ALL_ROUTES, ...ALL_TRANSPORT_PATHS].filter(
  ({ name }) => !SESSION_OPENERS.includes(name),
);

/** What a session of a role may use, independently of the implementation. */
function roleAllows(
  role: Role,
  { scope = '', alsoNeeds = [], scopes, anyRole, members, credentials }: Operation,
): boolean {
  if (credentials) return true;
  const administers = role === 'owner' || role === 'admin';
  if (scopes) return administers || (anyRole === true && scopes.every((one) => one.endsWith(':read')));
  if (members) return members === 'session' || administers;
  if (role === 'viewer') return [scope, ...alsoNeeds].every((one) => one.endsWith(':read') && one !== 'traces:read');
  return administers || scope !== 'keys:manage';
}

/** The scopes that an operation needs. Others need a member or any credentials. */
function scopesOf({ scope, alsoNeeds = [], scopes }: Operation): readonly string[] {
  return scopes ?? (scope === undefined ? [] : [scope, ...alsoNeeds]);
}

const refusalsOf = sampleRefusals(OPERATIONS, (operation) =>
  scopesOf(operation).length > 0
    ? ['stale', 'anonymous', 'outsiders', 'scopes', 'roles']
    : ['stale', 'anonymous', 'outsiders', 'roles'],
);

/** Asserts the error about a missing scope: completely, unless a tool contains it. */
function expectMissingScope({ name }: Operation, response: HttpResponse, scope: string): void {
  const expected = { param: null, facts: { required_scope: scope }, message: scope };
  if (response.body.errors) expectGraphqlError(response, 'forbidden', expected);
  else if (name.includes(' /v')) expectError(response, 'forbidden', expected);
  else expect(errorOf(response)).toMatchObject({ code: 'forbidden', required_scope: scope });
}

/** Asserts the error and the header of a request without valid credentials. */
function expectNoCredentials(response: HttpResponse): void {
  expect([response.status, codeOf(response)]).toEqual([401, 'unauthorized']);
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata=/);
}

for (const operation of OPERATIONS) {
  const send = sendOf(operation);
  const isPublic = PUBLIC.includes(operation.name);
  const refusals = refusalsOf(operation);
  const refuses = (refusal: string, name: string, test: () => Promise<void>) => {
    if (refusals.includes(refusal)) it(name, test);
  };
  const changesNothing = /^(Query|GET)\b/.test(operation.name);

  describe(`${operation.name}`, () => {
    it('requires a scope, a member or any credentials unless it is public', () => {
      const { scope, members, credentials } = operation;
      if (isPublic) expect([scope, members]).toEqual([undefined, undefined]);
      else if (members || credentials) expect(scope).toBeUndefined();
      else expect(SCOPES).toContain(scope ?? operation.scopes?.[0]);
    });

    it('returns the fixtures to their owner', async () => {
      const ownFixtures = await createFixturesFor(service, operation, fixtures);
      const key = operation.members ? await sessionFor('owner', operation) : service.keys.live;
      const response = await send(service, key, ownFixtures);
      const message = EXPECTED_ERRORS[operation.name];
      expect(codeOf(response)).toBe(message);
      if (!message) expect(response.status).toBeLessThan(300);
      const text = JSON.stringify(response.body);
      const mentionsFixture = [ownFixtures.marker, ownFixtures.conversationId].some((known) => text.includes(known));
      if (operation.reads) expect(mentionsFixture).toBe(!WITHOUT_MARKER.includes(operation.name));
    });

    refuses('stale', 'returns 401 for an expired session and for a rotated secret', async () => {
      for (const key of [expired, rotated]) expectNoCredentials(await send(service, key, fixtures));
    });

    if (isPublic) {
      it('responds to every caller who knows the ID, also without credentials', async () => {
        const keys = [null, another.keys.live, service.keys.test, ...Object.values(sessions)];
        for (const key of keys) expect(codeOf(await send(service, key, fixtures))).toBeUndefined();
        expect(codeOf(await send(visitor, null, fixtures))).toBeUndefined();
      });
      return;
    }

    refuses('anonymous', 'returns 401 without credentials and for a visitor of another deployment', async () => {
      for (const client of [service, visitor]) expectNoCredentials(await send(client, null, fixtures));
    });

    refuses('outsiders', 'returns no data to outsiders and changes nothing for them', async () => {
      const readState = async () => changesNothing || readBack(fixtures);
      const before = await readState();
      for (const [caller, keyOf, isKey] of OUTSIDERS) {
        if (caller === OTHER_ENVIRONMENT && WORKSPACE_DATA.includes(operation.name)) continue;
        const response = await send(service, await keyOf(operation), fixtures);
        if (operation.members && isKey) expect(codeOf(response), caller).toBe('session_required');
        else if (!OWN_DATA.includes(operation.name)) expectNoData(response);
        expect(JSON.stringify(response.body), caller).not.toContain(fixtures.marker);
      }
      expect(await readState()).toEqual(before);
    });

    refuses('scopes', 'needs exactly the scopes that it declares', async () => {
      const ownFixtures = await createFixturesFor(service, operation, fixtures);
      const scopes = scopesOf(operation);
      for (const missing of scopes) {
        const response = await send(service, await keyWith(SCOPES.filter((each) => each !== missing)), ownFixtures);
        expectMissingScope(operation, response, missing);
      }
      const withoutScopes = await send(service, await keyWith([]), ownFixtures);
      expect(errorOf(withoutScopes)).toMatchObject({
        code: 'forbidden',
        required_scope: expect.toBeOneOf([...scopes]),
      });
      const response = await send(service, await keyWith(scopes as Scope[]), ownFixtures);
      expect(codeOf(response)).not.toBeOneOf(['forbidden', 'unauthorized', 'session_required', 'internal_error']);
    });

    refuses('roles', 'allows each role what its scopes allow', async () => {
      const ownFixtures = await createFixturesFor(service, operation, fixtures);
      for (const role of [...ROLES].reverse()) {
        const response = await send(service, await sessionFor(role, operation), ownFixtures);
        const code = codeOf(response);
        if (roleAllows(role, operation)) {
          expect(code, role).not.toBeOneOf(['forbidden', 'session_required', 'unauthorized', 'internal_error']);
        } else {
          const results = errorOf(response);
          const facts =
            operation.members || operation.scopes
              ? { required_roles: ['owner', 'admin'] }
              : { required_scope: expect.toBeOneOf([...scopesOf(operation)]) };
          expect(results, role).toMatchObject({ code: 'forbidden', ...facts });
        }
      }
    });
  });
}

describe('an ID of another workspace or environment is 404, never 403', () => {
  it.each(['v1', 'v2'])("returns 404 for a turn of another workspace's deployment through %s", async (version) => {
    const send = (deployment: string, key: string) =>
      service.send('POST', `/${version}/runner/${deployment}/conversation`, { key, body: turnWith({}) });
    const { deploymentId } = another;
    expect((await send(deploymentId, service.keys.live)).status).toBe(404);
    expect((await send(deploymentId, service.keys.test)).status).toBe(404);
    expect((await send(deploymentId, another.keys.live)).status).toBe(200);
    expect((await send(deploymentId, another.keys.test)).status).toBe(200);
  });

  it("returns the same message for another workspace's ID as for an unknown ID", async () => {
    const read = async (id: string) => {
      const { body } = await service.send('GET', `/v1/runner/conversation/${id}/messages`, { key: another.keys.live });
      return body.error;
    };
    expect(await read(fixtures.conversationId)).toEqual(await read('00000000-0000-4000-8000-0000000000ff'));
  });
});
