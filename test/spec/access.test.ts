import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/contract/roles.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { type Answer, type Client, withCookies } from '../support/client.ts';
import { type Door, EVERY_FIELD, EVERY_ROUTE, rowOf } from '../support/every-field.ts';
import { type Planted, plant, plantFor } from '../support/plant.ts';
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
import { turnWith } from '../support/turn-doors.ts';
import { visit } from '../support/visits.ts';
import { WORKFLOW_DOORS } from '../support/workflow-rows.ts';

/** Root fields and routes that need no credentials. */
const PUBLIC: readonly string[] = [
  'Query.trigger',
  'GET /v1/runner/{deployment_id}/trigger/{trigger_id}',
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
];

/** Doors to what belongs to the workspace: its other environment comes through them as well. */
const OF_WORKSPACE: readonly string[] = [
  'Query.modelPrices',
  'Mutation.setModelPrice',
  'Mutation.createTrigger',
  'POST /v1/runner/{deployment_id}/trigger',
  ...WORKFLOW_DOORS,
  'POST /v1/workflow/{workflow_id}/trigger-settings',
];

/** What everybody makes, or has, something of their own of. */
const OF_EVERYBODY: readonly string[] = [
  'Mutation.createResource',
  'POST /v1/resources',
  'Mutation.createApiKey',
  'Mutation.setModelPrice',
  'Query.apiKeys',
  'Mutation.connectIntegration',
  'Mutation.createWebhookEndpoint',
  'Mutation.createWorkflow',
  'Query.workflows',
  'Query.me',
  'GET /v1/me',
  'Query.sessions',
  'Mutation.signOut',
  'Mutation.changePassword',
  'Query.auditLog',
  'Query.members',
  'Query.invitations',
  'Mutation.inviteMember',
  'Subscription.environmentExport',
  'GET /v1/export',
  'Query.retention',
  'Mutation.setRetention',
  'Query.environmentLimits',
  'Mutation.setEnvironmentLimits',
];

/** The ways in have tests of their own. */
const WAYS_IN: readonly string[] = ['Mutation.signIn', 'Mutation.acceptInvitation', 'Query.invitationOffer'];

/** What a door says to whoever may ask it, where the row asks for something that is not in order. */
const SAYS: Readonly<Record<string, string>> = {
  'Mutation.resumeAgentTurn': 'invalid_tool_result',
  'Mutation.removeModelPrice': 'not_found',
  'Mutation.revokeSession': 'not_found',
  'Mutation.changePassword': 'invalid_request',
};

let service: TestService;
let another: Workspace;
let planted: Planted;
/** Credentials that are no use any more, and a browser that is a visitor elsewhere. */
let expired: string;
let rotated: string;
let visitor: Client;
const sessions: Partial<Record<Role | 'stranger', string>> = {};
beforeAll(async () => {
  service = await startService();
  another = await makeWorkspace(service);
  planted = await plant(service);
  for (const role of ROLES) sessions[role] = await openSession(service, role);
  sessions.stranger = await strangerSession();
  expired = await openSession(service, 'owner', -1);
  rotated = await makeKey(service);
  await rotateKey(service, rotated);
  const { id } = await makeDeployment(service, {}, { kind: 'agent', hostedPage: true });
  visitor = withCookies(service, (await visit(service, id)).cookie);
});
afterAll(() => service.close());

/** A session of the first workspace, or of a stranger; one of its own for the door that ends it. */
async function sessionFor(who: Role | 'stranger', door: Door): Promise<string | null> {
  if (door.name !== 'Mutation.signOut') return sessions[who] ?? null;
  return who === 'stranger' ? strangerSession() : openSession(service, who);
}

async function strangerSession(): Promise<string> {
  return openSessionOf(service, await makeMember(service, 'owner', { workspaceId: another.id }));
}

const OTHER_ENVIRONMENT = 'a key of the other environment';

const OUTSIDERS: readonly [who: string, keyOf: (door: Door) => string | Promise<string | null>, isKey: boolean][] = [
  [OTHER_ENVIRONMENT, () => service.keys.test, true],
  ['a live key of another workspace', () => another.keys.live, true],
  ['a test key of another workspace', () => another.keys.test, true],
  ['an owner of another workspace', (door) => sessionFor('stranger', door), false],
];

const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.code ?? body.error?.code;

/** Nothing: an error not_found, null, or a list without items. */
function expectNothing({ status, body }: Answer): void {
  const errors = body.errors ?? (body.error ? [{ extensions: body.error }] : []);
  for (const { extensions } of errors) expect(extensions).toMatchObject({ code: 'not_found' });
  if (errors.length > 0) return;
  expect(status).toBe(200);
  const values = body.data ? Object.values(body.data) : [body];
  for (const value of values) expect(itemsOf(value)).toEqual([]);
}

function itemsOf(value: unknown): unknown[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray);
  return list ? list.filter((item: unknown) => item !== null) : [value];
}

const READ_BACK = `query ($own: UUID!, $waiting: UUID!, $resource: ID!, $integration: ID!, $endpoint: ID!, $member: ID!) {
  own: conversation(conversationId: $own) { ...all } waiting: conversation(conversationId: $waiting) { ...all }
  resource(id: $resource) { fields updatedAt } events(resourceId: $resource) { nodes { eventId type payload } }
  integration(id: $integration) { name url connected }
  webhookEndpoint(id: $endpoint) { description enabled updatedAt deliveries(first: 100) { nodes { type } } }
  node(id: $member) { ... on Member { role } } invitations(first: 100) { nodes { invitationId } }
}
fragment all on Conversation { name status meta history(last: 100) { nodes { id type } } }`;

/** What the owner reads of all that was planted. */
async function readBack({ conversationId, waiting, resource, hooks, member }: Planted): Promise<unknown> {
  const { integrationId: integration, endpointId: endpoint } = hooks;
  const ids = { own: conversationId, waiting: waiting.conversationId, resource: resource.resourceId };
  const variables = { ...ids, integration, endpoint, member: member.nodeId };
  const { body } = await service.graphql(READ_BACK, variables, { key: sessions.owner ?? null });
  expect(body.errors).toBeUndefined();
  const { invitations, webhookEndpoint, ...read } = body.data;
  const isOpen = JSON.stringify(invitations).includes(member.invitationId);
  // What the log tells is queued when it is, also of what the owner did before.
  const { deliveries, ...settings } = webhookEndpoint;
  const asked = deliveries.nodes.filter(({ type }: { type: string }) => type === 'webhook.test');
  return { ...read, ...settings, asked, isOpen };
}

/** Reads that tell nothing of what is planted to anybody. */
const WITHOUT_MARKER: readonly string[] = [
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
  'Query.usage',
  'Query.modelPrices',
  'Query.me',
  'GET /v1/me',
  'Query.sessions',
  'Query.auditLog',
  'Query.retention',
  'Query.environmentLimits',
];

const DOORS = [...EVERY_FIELD, ...EVERY_ROUTE].filter(({ name }) => !WAYS_IN.includes(name));

/** WIRE 4, in its own words: what a session of a role may ask. */
function roleMay(role: Role, { scope = '', scopes, members }: Door): boolean {
  const administers = role === 'owner' || role === 'admin';
  if (scopes) return administers;
  if (members) return members === 'session' || administers;
  if (role === 'viewer') return scope.endsWith(':read');
  return administers || scope !== 'keys:manage';
}

for (const door of DOORS) {
  const ask = rowOf(door);
  const isPublic = PUBLIC.includes(door.name);
  const changesNothing = /^(Query|GET)\b/.test(door.name);

  describe(`WIRE 4: ${door.name}`, () => {
    it('asks for a scope or for a member, unless it is public', () => {
      const { scope, members } = door;
      if (isPublic) expect([scope, members]).toEqual([undefined, undefined]);
      else if (members) expect(scope).toBeUndefined();
      else expect(SCOPES).toContain(scope ?? door.scopes?.[0]);
    });

    it('gives its owner what was planted', async () => {
      const mine = await plantFor(service, door, planted);
      const key = door.members ? await sessionFor('owner', door) : service.keys.live;
      const answer = await ask(service, key, mine);
      const said = SAYS[door.name];
      expect(codeOf(answer)).toBe(said);
      if (!said) expect(answer.status).toBeLessThan(300);
      const text = JSON.stringify(answer.body);
      const tellsOfIt = [mine.marker, mine.conversationId].some((known) => text.includes(known));
      if (door.reads) expect(tellsOfIt).toBe(!WITHOUT_MARKER.includes(door.name));
    });

    it('is 401 for a session that is over and for a secret that was rotated', async () => {
      for (const key of [expired, rotated]) {
        const answer = await ask(service, key, planted);
        expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
      }
    });

    if (isPublic) {
      it('is answered to whoever knows the id, without credentials too', async () => {
        const keys = [null, another.keys.live, service.keys.test, ...Object.values(sessions)];
        for (const key of keys) expect(codeOf(await ask(service, key, planted))).toBeUndefined();
        expect(codeOf(await ask(visitor, null, planted))).toBeUndefined();
      });
      return;
    }

    it('is 401 without credentials, and for a visitor of another deployment', async () => {
      for (const client of [service, visitor]) {
        const answer = await ask(client, null, planted);
        expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
      }
    });

    it('gives nobody else anything of it, and changes nothing for them', async () => {
      const look = async () => changesNothing || readBack(planted);
      const before = await look();
      for (const [who, keyOf, isKey] of OUTSIDERS) {
        if (who === OTHER_ENVIRONMENT && OF_WORKSPACE.includes(door.name)) continue;
        const answer = await ask(service, await keyOf(door), planted);
        if (door.members && isKey) expect(codeOf(answer), who).toBe('session_required');
        else if (!OF_EVERYBODY.includes(door.name)) expectNothing(answer);
        expect(JSON.stringify(answer.body), who).not.toContain(planted.marker);
      }
      expect(await look()).toEqual(before);
    });

    it('answers each role as its scopes say', async () => {
      const mine = await plantFor(service, door, planted);
      for (const role of [...ROLES].reverse()) {
        const answer = await ask(service, await sessionFor(role, door), mine);
        const code = codeOf(answer);
        if (roleMay(role, door)) {
          expect(code, role).not.toBeOneOf(['forbidden', 'session_required', 'unauthorized', 'internal_error']);
        } else {
          const told = answer.body.errors?.[0]?.extensions ?? answer.body.error;
          const facts =
            door.members || door.scopes ? { required_roles: ['owner', 'admin'] } : { required_scope: door.scope };
          expect(told, role).toMatchObject({ code: 'forbidden', ...facts });
        }
      }
    });
  });
}

describe('WIRE 3: an id of another workspace or environment is 404, never 403', () => {
  it.each(['v1', 'v2'])('a deployment of another workspace takes no turns by %s', async (version) => {
    const ask = (deployment: string, key: string) =>
      service.send('POST', `/${version}/runner/${deployment}/conversation`, { key, body: turnWith({}) });
    const { deploymentId } = another;
    expect((await ask(deploymentId, service.keys.live)).status).toBe(404);
    expect((await ask(deploymentId, service.keys.test)).status).toBe(404);
    expect((await ask(deploymentId, another.keys.live)).status).toBe(200);
    expect((await ask(deploymentId, another.keys.test)).status).toBe(200);
  });

  it("tells an id that is another's in the words of one that is nobody's", async () => {
    const read = async (id: string) => {
      const { body } = await service.send('GET', `/v1/runner/conversation/${id}/messages`, { key: another.keys.live });
      return body.error;
    };
    expect(await read(planted.conversationId)).toEqual(await read('00000000-0000-4000-8000-0000000000ff'));
  });
});
