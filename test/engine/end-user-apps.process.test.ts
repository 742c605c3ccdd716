import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { EndUserSite } from '../support/end-user-connecting.ts';
import { ERASE_END_USER, REVOKE_TOKENS } from '../support/end-users.ts';
import { busyMs } from '../support/event-loop.ts';
import { freePorts } from '../support/free-ports.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { registeredApp } from '../support/registering.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';

describe.skipIf(!POSTGRES_URL)('the app of an end user at two processes, on PostgreSQL', () => {
  let store: OwnedStore;
  let pair: [ServiceProcess, ServiceProcess];
  let site: EndUserSite;
  beforeAll(async () => {
    store = await postgresStore();
    const env = { TRUST_PROXY: '1', ALLOW_LOOPBACK: 'true', MCP_DYNAMIC_REGISTRATION: 'on' };
    // The issuer knows the address of the first one.
    const [port] = await freePorts(1);
    const publicUrl = `http://127.0.0.1:${port}`;
    const own = { PORT: String(port), PUBLIC_URL: publicUrl };
    pair = await Promise.all([startOn(store, { ...env, ...own }), startOn(store, env)]);
    const [first] = pair;
    const token = await signIn(first, store);
    const { clientId } = await registeredApp(first);
    site = await EndUserSite.openAt(first, {
      ...{ clientId, deploymentId: DEMO_AGENT_ID, publicUrl },
      environmentId: await environmentIdOf(first, token),
      owner: async () => token,
    });
  });
  afterAll(async () => {
    site?.close();
    await killAll();
    await store.remove();
  });

  const statusAt = async (client: Client, key: string) =>
    (await client.send('GET', '/v1/conversations', { key })).status;

  // Each has its own user, because a revocation also rejects sign-ins of the seconds around it.
  it.each([
    ['the tokens of the user are revoked', REVOKE_TOKENS, 'ada', 'bob'],
    ['the user is erased', ERASE_END_USER, 'bob', 'carol'],
  ])('loses its open stream and its access at the other one within a second if %s', async (_case, end, user, other) => {
    const [first, second] = pair;
    const { access_token: key, refresh_token: refreshToken } = await site.connect(user);
    const { access_token: otherKey } = await site.connect(other);
    const stream = await subscribe(second, 'subscription { conversationsChanged { cursor } }', {}, key);
    expect(stream.rejection).toBeUndefined();
    expect(await statusAt(second, key)).toBe(200);
    const ended = stream.next();
    expect(errorOf(await first.graphql(end, { input: { endUser: user } }))).toBeUndefined();
    const endedAt = performance.now();
    expect(await statusAt(second, key)).toBe(401);
    expect(await ended).toBeUndefined();
    expect(performance.now() - endedAt).toBeLessThan(busyMs(1_000));
    expect((await site.app.refresh(refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await statusAt(second, otherKey)).toBe(200);
  });
});

async function signIn(client: Client, { owner }: OwnedStore): Promise<string> {
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { ... on SignInPayload { token } } }';
  const { body } = await client.graphql(document, { input: owner }, { key: null });
  return body.data.signIn.token;
}

/** The ID is in the address that an administrator enters at the issuer. */
async function environmentIdOf(client: Client, session: string): Promise<string> {
  const input = {
    ...{ issuer: 'https://login.example.com', audience: 'parley', jwksUrl: 'https://1.1.1.1/jwks' },
    deploymentIds: [DEMO_AGENT_ID],
  };
  const document = `mutation ($input: SetEndUserIssuerInput!) {
    setEndUserIssuer(input: $input) {
      ... on SetEndUserIssuerPayload { endUserIssuer { redirectUri } } ... on Error { message } } }`;
  const { body } = await client.graphql(document, { input }, { key: session });
  return body.data.setEndUserIssuer.endUserIssuer.redirectUri.split('/').at(-1);
}
