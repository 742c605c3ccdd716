import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { ALL_TOOLS, NEEDS_SIGN_IN, SignIns, signIn, signInOf, toolsOf } from '../support/integration-sign-in.ts';
import { holdNext } from '../support/oauth-server.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** How long other processes wait for an exchange. */
const BUSY_MS = 30_000;

describe.skipIf(!POSTGRES_URL)('a process that is killed while it exchanges a refresh token, on PostgreSQL', () => {
  let store: OwnedStore;
  let pair: [ServiceProcess, ServiceProcess];
  let session: string;
  const signIns = new SignIns(() => ({ service: pair[0], session }));
  beforeAll(async () => {
    store = await postgresStore();
    const env = { ALLOW_LOOPBACK: 'true' };
    pair = await Promise.all([startOn(store, env), startOn(store, env)]);
    session = await sessionOf(pair[1], store);
  });
  afterAll(async () => {
    await killAll();
    await signIns.close();
    await store.remove();
  });

  it('makes another process ask for a sign-in, after the time of an exchange and without a second use of the token', async () => {
    const [first, second] = pair;
    const { pair: servers, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    const held = holdNext(servers, '/token');
    const startedAt = performance.now();
    const list = toolsOf(first, id).catch(() => undefined);
    await held.arrived;
    await first.kill('SIGKILL');
    await list;
    // The server uses the token up, and its response reaches nobody.
    held.release();
    expect(await toolsOf(second, id)).toBe('The authorization server did not issue a new access token within 5 s.');
    expect((await signInOf(second, id)).state).toBe('SIGNED_IN');
    await until(async () => (await toolsOf(second, id)) === NEEDS_SIGN_IN);
    expect(performance.now() - startedAt).toBeGreaterThan(BUSY_MS - 1_000);
    expect(await signInOf(second, id)).toMatchObject({
      state: 'NEEDED',
      problem: 'The last exchange of tokens was interrupted. Sign in again.',
    });
    const grants = servers.at('/token').map(({ body }) => body.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    servers.options.tokens = {};
    expect(await signIn(second, session, servers, id)).toBe('done');
    expect(await toolsOf(second, id)).toEqual(ALL_TOOLS);
  });
});

async function sessionOf(client: Client, { owner }: OwnedStore): Promise<string> {
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { ... on SignInPayload { token } } }';
  const { body } = await client.graphql(document, { input: owner }, { key: null });
  return body.data.signIn.token;
}
