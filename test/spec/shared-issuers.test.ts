import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { fromManyAddresses } from '../support/client.ts';
import { SET_ISSUER, said } from '../support/end-users.ts';
import { busyMs } from '../support/event-loop.ts';
import { graphText } from '../support/graph-content.ts';
import {
  ISSUER,
  type JwksServer,
  newSigningKey,
  type SigningKey,
  signJwt,
  startJwksServer,
} from '../support/jwks-server.ts';
import { errorOf, mutationOf } from '../support/results.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeWorkspace, openSession, type Workspace } from '../support/tenants.ts';

const OWN = 'parley';
/** An audience that many tenants of one issuer have in common. */
const COMMON = 'userinfo';

let service: TestService;
let jwks: JwksServer;
let key: SigningKey;
let other: Workspace;
let token: string;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  jwks = await startJwksServer();
  key = await newSigningKey('one');
  await jwks.publish(key);
  other = await makeWorkspace(service);
  const input = { issuer: ISSUER, audience: OWN, jwksUrl: jwks.url, deploymentIds: [DEMO_CHAT_ID] };
  expect(
    errorOf(await service.graphql(SET_ISSUER, { input }, { key: await openSession(service, 'owner') })),
  ).toBeUndefined();
  await addRule(other);
  token = await signJwt(key, 'ada', { aud: [OWN, COMMON] });
});
afterAll(async () => {
  jwks.close();
  await service.close();
});

async function addRule({ environments, deploymentId }: Workspace, fields: object = {}): Promise<void> {
  await service.service.services.stores.prisma.endUserIssuer.create({
    data: {
      ...{
        id: `eui_${randomUUID().replaceAll('-', '').slice(0, 20)}`,
        environmentId: environments.live,
        issuer: ISSUER,
      },
      ...{ audience: COMMON, jwksUrl: jwks.url, deploymentIds: [deploymentId], updatedAt: new Date(), ...fields },
    },
  });
}

const at = (deploymentId: string) => ({ 'x-deployment': deploymentId });
const CONVERSATIONS = '{ conversations { nodes { conversationId } } }';
const SEND = mutationOf('sendMessage', '{ turn { conversationId } }');
const MESSAGE = { deploymentId: DEMO_CHAT_ID, content: graphText('Hello') };

/** The text of the list of conversations. */
async function listed(headers: Record<string, string>): Promise<string> {
  const { status, body } = await service.send('GET', '/v1/runner/conversations', { key: token, headers });
  expect(status).toBe(200);
  return JSON.stringify(body);
}

async function start(deploymentId = DEMO_CHAT_ID): Promise<string> {
  const path = `/v1/runner/${deploymentId}/conversation`;
  const { status, body } = await service.send('POST', path, { key: token, body: said('Hello') });
  expect(status).toBe(200);
  return body.conversation_id;
}

describe('an issuer of several workspaces', () => {
  it('is saved by each of them, and no error names the others', async () => {
    const owner = await openSession(service, 'owner');
    const input = { issuer: ISSUER, audience: COMMON, jwksUrl: jwks.url, deploymentIds: [DEMO_CHAT_ID] };
    expect(errorOf(await service.graphql(SET_ISSUER, { input }, { key: owner }))).toBeUndefined();
    const restored = { input: { ...input, audience: OWN } };
    expect(errorOf(await service.graphql(SET_ISSUER, restored, { key: owner }))).toBeUndefined();
  });

  it('has its JWTs bound to the workspace of the deployment in the path', async () => {
    const id = await start();
    const stored = await service.service.services.stores.prisma.conversation.findFirstOrThrow({ where: { id } });
    expect(stored).toMatchObject({ deploymentId: DEMO_CHAT_ID, endUser: 'ada' });
    const path = `/v2/runner/${other.deploymentId}/conversation`;
    const { body } = await service.send('POST', path, { key: token, body: said('Hello') });
    const foreign = await service.service.services.stores.prisma.conversation.findFirstOrThrow({
      where: { id: body.conversation_id },
    });
    expect(foreign.environmentId).toBe(other.environments.live);
  });

  it('has its JWTs bound by the ID of a conversation', async () => {
    const id = await start();
    expect((await service.send('GET', `/v1/runner/conversation/${id}/messages`, { key: token })).status).toBe(200);
  });

  it('has its JWTs bound by the arguments of a GraphQL operation', async () => {
    const started = await service.graphql(SEND, { input: MESSAGE }, { key: token });
    expect(errorOf(started)).toBeUndefined();
    const { conversationId } = started.body.data.sendMessage.turn;
    const read = 'query ($id: ID!) { conversation(id: $id) { conversationId } }';
    const { body } = await service.graphql(read, { id: conversationId }, { key: token });
    expect(body.data).toEqual({ conversation: { conversationId } });
  });

  it('has its JWTs bound by x-deployment where the operation names nothing', async () => {
    const id = await start();
    expect(await listed(at(DEMO_CHAT_ID))).toContain(id);
    expect(await listed(at(other.deploymentId))).not.toContain(id);
    const { body } = await service.graphql(CONVERSATIONS, {}, { key: token, headers: at(DEMO_CHAT_ID) });
    expect(JSON.stringify(body.data)).toContain(id);
  });

  it('needs x-deployment for other requests with a JWT that several of them accept', async () => {
    for (const response of [
      await service.send('GET', '/v1/runner/conversations', { key: token }),
      await service.graphql(CONVERSATIONS, {}, { key: token }),
    ]) {
      expect(errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'x-deployment' });
      expect(JSON.stringify(response.body)).not.toContain(other.id);
    }
  });

  it('never gives a JWT access to a workspace that its request does not name', async () => {
    const id = await start();
    const { status } = await service.send('GET', `/v1/runner/conversation/${id}/messages`, {
      key: token,
      headers: at(other.deploymentId),
    });
    expect(status).toBe(404);
  });

  it('rejects a JWT that the workspace of the deployment does not accept, whatever others accept', async () => {
    const stranger = await signJwt(await newSigningKey('one'), 'ada', { aud: [OWN, COMMON] });
    const { status } = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
      key: stranger,
      body: said('Hello'),
    });
    expect(status).toBe(401);
    const response = await service.graphql(SEND, { input: MESSAGE }, { key: stranger });
    expect(errorOf(response)?.code).toBe('unauthorized');
  });
});

describe('rules of an attacker with the issuer and audience of a victim', () => {
  it('change nothing for requests that name the victim, and cost one verification', async () => {
    const own = await signJwt(key, 'grace', { aud: OWN });
    const slow = await startJwksServer();
    try {
      await slow.answer({ isEndless: true });
      for (let count = 0; count <= LIMITS.endUserIssuerCandidates; count += 1) {
        await addRule(await makeWorkspace(service), { audience: OWN, jwksUrl: slow.url });
      }
      const startedAt = performance.now();
      for (const headers of [{}, at(DEMO_CHAT_ID)]) {
        const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
        expect((await service.send('POST', path, { key: own, headers, body: said('Hello') })).status).toBe(200);
      }
      const list = await service.send('GET', '/v1/runner/conversations', { key: own, headers: at(DEMO_CHAT_ID) });
      expect(list.status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(busyMs(2_000));
      expect(await slow.requests()).toBe(0);
      // Without an address, there are too many candidates to try.
      const unnamed = await service.send('GET', '/v1/runner/conversations', { key: own });
      expect(errorOf(unnamed)).toMatchObject({ code: 'invalid_request', param: 'x-deployment' });
      expect(await slow.requests()).toBe(0);
      await service.service.services.stores.prisma.endUserIssuer.deleteMany({ where: { jwksUrl: slow.url } });
    } finally {
      slow.close();
    }
  });

  it('with keys of their own do not accept the JWT, so that it works without an address', async () => {
    const own = await signJwt(key, 'grace', { aud: OWN });
    const slow = await startJwksServer();
    const foreign = await startJwksServer();
    try {
      await slow.answer({ isEndless: true });
      await foreign.publish(await newSigningKey('one'));
      await addRule(await makeWorkspace(service), { audience: OWN, jwksUrl: slow.url });
      await addRule(await makeWorkspace(service), { audience: OWN, jwksUrl: foreign.url });
      const startedAt = performance.now();
      expect((await service.send('GET', '/v1/runner/conversations', { key: own })).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(busyMs(3_000));
      const forged = await signJwt(await newSigningKey('one'), 'grace', { aud: OWN });
      const { status } = await service.send('GET', '/v1/runner/conversations', { key: forged });
      expect([401, 503]).toContain(status);
    } finally {
      slow.close();
      foreign.close();
    }
  });
});
