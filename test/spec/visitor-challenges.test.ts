import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { createClient } from '../../src/sdk/index.ts';
import { textContent } from '../support/agent-apis.ts';
import { type ChallengeProvider, startChallengeProvider } from '../support/challenge-provider.ts';
import type { HttpResponse, SendOptions } from '../support/client.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
let provider: ChallengeProvider;
beforeAll(async () => {
  provider = await startChallengeProvider();
  const challenges = { verifyUrl: provider.url, secret: 'the secret', siteKey: 'the site key' };
  service = await startService({ trustProxy: 'loopback', challenges });
});
afterAll(async () => {
  await service.close();
  provider.close();
});

let addresses = 0;

/** An address that no other test uses. */
function newAddress(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

async function publicDeployment(data: object): Promise<string> {
  const { id } = await makeDeployment(service, {}, { authRequired: false, hostedPage: true, kind: 'agent' });
  await service.service.services.stores.prisma.deployment.update({ where: { id }, data });
  return id;
}

const body = { content: textContent('Hello') };

/** A start without credentials. */
function start(id: string, address: string, solution?: string, options: SendOptions = {}): Promise<HttpResponse> {
  const headers = { 'x-forwarded-for': address, ...(solution && { 'parley-challenge': solution }) };
  return service.send('POST', `/v2/runner/${id}/conversation`, { key: null, body, headers, ...options });
}

const hasZeroBits = (text: string) =>
  hash('sha256', text, 'buffer').readUInt32BE(0) >>> (32 - LIMITS.challengeBits) === 0;

/** Pauses now and then: the service in this process closes connections that are idle for seconds. */
async function solve(token: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    if (number % 1_000 === 0) await setImmediate();
    if (hasZeroBits(`${token}.${number}`)) return `${token}.${number}`;
  }
}

const WORK = {
  challenge: 'proof_of_work',
  challenge_token: expect.any(String),
  challenge_difficulty: LIMITS.challengeBits,
};
const RESPONSE = { challenge: 'provider', challenge_site_key: 'the site key' };

/** Asserts the error that says what to solve. */
function expectChallenge(response: HttpResponse, facts: Readonly<Record<string, unknown>> = WORK): void {
  expectError(response, 'challenge_required', { param: null, facts });
}

async function challengeOf(id: string, address: string): Promise<string> {
  const refused = await start(id, address);
  expectChallenge(refused);
  return refused.body.error.challenge_token;
}

describe('A deployment with a proof of work', () => {
  it('admits a solution for a number of starts, and then demands another one', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    const address = newAddress();
    const solution = await solve(await challengeOf(id, address));
    for (let count = 0; count < LIMITS.challengeStarts; count += 1) {
      expect((await start(id, address, solution)).status).toBe(200);
    }
    expectChallenge(await start(id, address, solution));
    expect((await start(id, address, await solve(await challengeOf(id, address)))).status).toBe(200);
  });

  it('rejects a solution of another address or deployment, a wrong number, and a changed token', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    const other = await publicDeployment({ challenge: 'proof_of_work' });
    const address = newAddress();
    const token = await challengeOf(id, address);
    const solution = await solve(token);
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const wrong of [
      `${token}.x`,
      `${token}.1`,
      await solve(changed),
      await solve('AAAA'),
      '.',
      'x'.repeat(5_000),
    ]) {
      if (wrong !== solution) expectChallenge(await start(id, address, wrong));
    }
    expectChallenge(await start(id, newAddress(), solution));
    expectChallenge(await start(other, address, solution));
    expect((await start(id, address, solution)).status).toBe(200);
  });

  it('rejects a solution whose time is over', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    const address = newAddress();
    const { secretBox } = service.service.services.settings;
    const sealed = secretBox.seal(String(Date.now() - 1), `challenge of ${id} ${address}`);
    const expired = await solve(Buffer.from(sealed).toString('base64url'));
    expectChallenge(await start(id, address, expired));
  });

  it('demands it for each kind of start, and not to continue a conversation', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    const address = newAddress();
    const headers = { 'x-forwarded-for': address };
    const options = { key: null, body, headers };
    const refused = [
      await service.send('POST', `/v1/runner/${id}/conversation`, options),
      await service.send('POST', `/v1/runner/${id}/conversation/stream`, options),
      await service.send('POST', `/v1/runner/${id}`, options),
      await service.send('POST', `/v2/runner/${id}`, options),
      await service.send('POST', `/v1/runner/${id}/stream`, options),
      await service.send('POST', `/v2/runner/${id}/conversation`, {
        ...options,
        headers: { ...headers, prefer: 'respond-async' },
      }),
      await service.send('POST', `/v1/runner/${id}/ui`, {
        ...options,
        headers: { ...headers, accept: 'application/json' },
        body: {
          id: crypto.randomUUID(),
          trigger: 'submit-message',
          messages: [{ id: 'm', role: 'user', parts: body.content }],
        },
      }),
    ];
    for (const response of refused) expectChallenge(response);
    const { body: graphql } = await service.graphql(
      'mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename } }',
      { input: { deploymentId: id, content: [{ text: 'Hello' }] } },
      { key: null, headers },
    );
    expect(graphql.errors[0].extensions).toMatchObject({ code: 'CHALLENGE_REQUIRED', challenge: 'proof_of_work' });
    expect(graphql.errors[0].extensions.challengeToken).toEqual(expect.any(String));
    const { body: started } = await start(id, address, await solve(await challengeOf(id, address)));
    const more = { ...body, conversation_id: started.conversation_id };
    expect((await start(id, address, undefined, { body: more })).status).toBe(200);
  });

  it('demands nothing of a key', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    expect((await service.send('POST', `/v2/runner/${id}/conversation`, { body })).status).toBe(200);
  });

  it('is solved by the SDK, once for several starts', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work' });
    const address = newAddress();
    const client = createClient({ baseUrl: service.url, deploymentId: id, headers: { 'x-forwarded-for': address } });
    expect((await client.run({ content: 'Hello' })).content).toContain('Hello');
    await client.createAgent().start({ content: 'Hello' });
    await client.createConversation().run({ content: 'Hello' });
  });

  it('counts a refused start for no limit of the deployment', async () => {
    const id = await publicDeployment({ challenge: 'proof_of_work', turnsPerMinute: 1 });
    for (let count = 0; count < 3; count += 1) await challengeOf(id, newAddress());
    const address = newAddress();
    expect((await start(id, address, await solve(await challengeOf(id, address)))).status).toBe(200);
  });
});

describe('A deployment with the challenge of a provider', () => {
  it('verifies the response once, and returns a pass for the next starts', async () => {
    provider.reply = { status: 200, body: '{"success":true,"hostname":"example.com"}' };
    const id = await publicDeployment({ challenge: 'provider' });
    const address = newAddress();
    const refused = await start(id, address);
    expectChallenge(refused, RESPONSE);
    const before = provider.requests.length;
    const admitted = await start(id, address, 'a response');
    expect(admitted.status).toBe(200);
    expect(Object.fromEntries(provider.requests.at(-1) ?? [])).toEqual({
      secret: 'the secret',
      response: 'a response',
      remoteip: address,
    });
    const pass = admitted.headers.get('parley-challenge') ?? '';
    for (let count = 1; count < LIMITS.challengeStarts; count += 1) {
      expect((await start(id, address, pass)).status).toBe(200);
    }
    expectChallenge(await start(id, address, pass), RESPONSE);
    // Another text of the same bytes is not another pass.
    for (const text of [`${pass}!`, `${pass}=`]) expectChallenge(await start(id, address, text), RESPONSE);
    expectChallenge(await start(id, newAddress(), pass), RESPONSE);
    expect(provider.requests.length).toBe(before + 1);
  });

  it('admits nobody if the provider says no, fails, or sends something else', async () => {
    const id = await publicDeployment({ challenge: 'provider' });
    const address = newAddress();
    provider.reply = { status: 200, body: '{"success":false}' };
    expectChallenge(await start(id, address, 'a response'), RESPONSE);
    for (const reply of [
      { status: 500, body: '{"success":true}' },
      { status: 200, body: 'true' },
      { status: 200, body: '{"success":"true"}' },
      { status: 302, body: '' },
    ]) {
      provider.reply = reply;
      expectError(await start(id, address, 'a response'), 'unavailable');
    }
  });

  it('asks the provider 30 times per minute and address at most', async () => {
    provider.reply = { status: 200, body: '{"success":false}' };
    const id = await publicDeployment({ challenge: 'provider', anonymousPerMinute: 1_000 });
    const address = newAddress();
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) statuses.push((await start(id, address, `response ${count}`)).status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(30);
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  it('is solved by a function of the page', async () => {
    provider.reply = { status: 200, body: '{"success":true}' };
    const id = await publicDeployment({ challenge: 'provider' });
    const solved: string[] = [];
    const client = createClient({
      baseUrl: service.url,
      deploymentId: id,
      headers: { 'x-forwarded-for': newAddress() },
      solveChallenge: async ({ siteKey }) => `solved ${solved.push(siteKey)}`,
    });
    for (let count = 0; count < 3; count += 1) await client.run({ content: 'Hello' });
    expect(solved).toEqual(['the site key']);
    const without = createClient({
      baseUrl: service.url,
      deploymentId: id,
      headers: { 'x-forwarded-for': newAddress() },
    });
    await expect(without.run({ content: 'Hello' })).rejects.toMatchObject({ code: 'challenge_required' });
  });

  it('fails the call at once if the function of the page throws', async () => {
    let asked = 0;
    const solveChallenge = () => {
      asked += 1;
      throw new Error('the dialog was closed');
    };
    const deploymentId = await publicDeployment({ challenge: 'provider' });
    const client = createClient({ baseUrl: service.url, deploymentId, solveChallenge });
    const failure = { code: 'challenge_failed', cause: { message: 'the dialog was closed' } };
    await expect(client.run({ content: 'Hello' })).rejects.toMatchObject(failure);
    expect(asked).toBe(1);
  });
});

describe('Turns of a visitor', () => {
  it('are limited per hour and per day by address, whatever the conversation', async () => {
    const id = await publicDeployment({ visitorTurnsPerHour: 2 });
    const address = newAddress();
    const { body: first } = await start(id, address);
    expect(
      (await start(id, address, undefined, { body: { ...body, conversation_id: first.conversation_id } })).status,
    ).toBe(200);
    expectError(await start(id, address), 'rate_limited');
    expect((await start(id, newAddress())).status).toBe(200);
    const daily = await publicDeployment({ visitorTurnsPerDay: 1 });
    expect((await start(daily, address)).status).toBe(200);
    const refused = await start(daily, address);
    expectError(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
  });

  it('are limited by visitor too, so that another address gains nothing', async () => {
    const id = await publicDeployment({ visitorTurnsPerHour: 2 });
    const page = await service.send('GET', `/agent/${id}`, { key: null, headers: { accept: 'text/html' } });
    const cookie = page.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    expect(cookie).toContain('parley_visitor');
    const visit = (address: string) =>
      start(id, address, undefined, {
        headers: { cookie, 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' },
      });
    expect((await visit(newAddress())).status).toBe(200);
    expect((await visit(newAddress())).status).toBe(200);
    expectError(await visit(newAddress()), 'rate_limited');
  });
});
