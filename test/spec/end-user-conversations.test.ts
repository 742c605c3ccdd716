import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withCookies } from '../support/client.ts';
import { type EndUsers, endUsersOf, endUserToken } from '../support/end-users.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, openSession } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
let users: EndUsers;
beforeAll(async () => {
  service = await startService();
  users = endUsersOf(service, DEMO_CHAT_ID);
});
afterAll(() => service.close());

const UNKNOWN = '00000000-0000-4000-8000-0000000000ff';

describe('a conversation that another caller starts', () => {
  it('has no end user, if the caller is a key, a member or a visitor', async () => {
    const { id: deploymentId } = await makeDeployment(service, {}, { hostedPage: true });
    const visitor = withCookies(service, (await visit(service, deploymentId)).cookie);
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const path = `/v1/runner/${deploymentId}/conversation`;
    await visitor.send('POST', path, { body, key: null });
    for (const key of [service.keys.live, await openSession(service, 'developer')]) {
      expect((await service.send('POST', path, { body, key })).status).toBe(200);
    }
    const list = await service.send('GET', `/v1/conversations?deployment_id=${deploymentId}`);
    expect(list.body.data.map((one: { end_user: unknown }) => one.end_user)).toEqual([null, null, null]);
  });
});

describe('a conversation that an end user starts', () => {
  it('belongs to the user, also with another token, and to no other user', async () => {
    const id = await users.start(await users.tokenOf('owner'));
    expect((await users.read(await users.tokenOf('owner'), id)).status).toBe(200);
    const other = await users.tokenOf('another');
    const [foreign, unknown] = [await users.read(other, id), await users.read(other, UNKNOWN)];
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    expect((await users.chat(other, 'Hello', { conversation_id: id })).status).toBe(404);
    const { body } = await service.graphql(
      'query ($id: ID!) { conversation(id: $id) { name } }',
      { id },
      { key: other },
    );
    expect(body.data).toEqual({ conversation: null });
  });

  it('is not reached with a default value, under the own deployment', async () => {
    const id = await users.start(await users.tokenOf('owner'));
    const other = await users.tokenOf('another');
    const { body } = await service.graphql(
      `mutation ($id: ID = "${id}") { sendMessage(input: { deploymentId: "${DEMO_CHAT_ID}", conversationId: $id, content: [{ text: "Hi" }] }) {
        ... on SendMessagePayload { turn { conversationId } } ... on Error { code } } }`,
      {},
      { key: other },
    );
    expect(body.data.sendMessage).toEqual({ code: 'NOT_FOUND' });
    const hidden = await service.graphql(
      `query ($id: ID = "${id}") { conversation(deploymentId: "${DEMO_CHAT_ID}", id: $id) { name } }`,
      {},
      { key: other },
    );
    expect(hidden.body.data).toEqual({ conversation: null });
  });

  it('is closed to callers without credentials, who know its ID', async () => {
    const { id: deploymentId } = await makeDeployment(service, {}, { authRequired: false });
    const token = await endUserToken(service, deploymentId, 'owner');
    const { body } = await users.chat(token, 'Secret', {}, deploymentId);
    const id = body.conversation_id;
    const open = (await users.chat(null, 'Open', {}, deploymentId)).body.conversation_id;
    expect((await users.read(null, open)).status).toBe(200);
    expect((await users.chat(null, 'More', { conversation_id: id }, deploymentId)).status).toBe(404);
    const history = (of: string) =>
      service.send('GET', `/v2/runner/${deploymentId}/conversation/${of}/history`, { key: null });
    expect([(await history(open)).status, (await history(id)).status]).toEqual([200, 404]);
    const { data } = (
      await service.graphql(
        `query ($id: ID!) { conversation(deploymentId: "${deploymentId}", id: $id) { name } }`,
        { id },
        { key: null },
      )
    ).body;
    expect(data).toEqual({ conversation: null });
    const [owned, unknown] = [await users.read(null, id), await users.read(null, UNKNOWN)];
    expect(owned.status).toBe(401);
    expect(owned.body).toEqual(unknown.body);
    // The end user cannot reach the conversation without an owner either.
    expect((await users.read(token, open)).status).toBe(404);
  });

  it('keeps its owner', async () => {
    const id = await users.start(await users.tokenOf('owner'));
    const { prisma } = service.service.services.stores;
    await expect(prisma.conversation.updateMany({ where: { id }, data: { endUser: 'thief' } })).rejects.toThrow(
      /cannot be changed/,
    );
  });

  it('is found by its owner for keys and members, in both APIs, and in the usage', async () => {
    const id = await users.start(await users.tokenOf('counted'));
    await users.start(await users.tokenOf('not counted'));
    const period = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const { body } = await service.graphql(
      `query ($period: ReportPeriodInput!) {
        conversations(filter: { endUser: "counted" }) { nodes { conversationId endUser } }
        usage(period: $period, groupBy: [], filter: { endUser: "counted" }) { turns }
        byUser: usage(period: $period, groupBy: [END_USER]) { endUser turns }
      }`,
      { period },
    );
    expect(body.data.conversations.nodes).toEqual([{ conversationId: id, endUser: 'counted' }]);
    expect(body.data.usage).toEqual([{ turns: 1 }]);
    expect(body.data.byUser).toContainEqual({ endUser: 'counted', turns: 1 });
    const list = await service.send('GET', '/v1/conversations?end_user=counted');
    expect(list.body.data).toMatchObject([{ conversation_id: id, end_user: 'counted' }]);
  });
});
