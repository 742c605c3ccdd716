import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { REMOVE_ISSUER, SET_ISSUER, TEST_ISSUER } from '../support/end-users.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { type JwksServer, newSigningKey, startJwksServer } from '../support/jwks-server.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

const READ = '{ endUserIssuer { issuer audience jwksUrl deploymentIds scopeClaim } }';

let service: TestService;
let jwks: JwksServer;
let owner: string;
let admin: string;
beforeAll(async () => {
  service = await startService();
  jwks = await startJwksServer();
  owner = await openSession(service, 'owner');
  admin = await openSession(service, 'admin');
});
afterAll(async () => {
  jwks.close();
  await service.close();
});

const valid = () => ({
  issuer: 'https://login.example.com/',
  audience: 'parley',
  jwksUrl: jwks.url,
  deploymentIds: [DEMO_CHAT_ID],
});

const set = (fields: object = {}, key = owner, headers: Record<string, string> = {}) =>
  service.graphql(SET_ISSUER, { input: { ...valid(), ...fields } }, { key, headers });

describe('the issuer of JWTs', () => {
  it('is set, read and removed by an owner or admin, for one environment, and audited', async () => {
    const expected = { ...valid(), scopeClaim: 'scope' };
    const { body } = await set({ scopeClaim: 'scope' }, admin);
    expect(body.data.setEndUserIssuer.endUserIssuer).toEqual(expected);
    const read = async (headers: Record<string, string> = {}) =>
      (await service.graphql(READ, {}, { key: owner, headers })).body.data.endUserIssuer;
    expect(await read()).toEqual(expected);
    expect(await read({ 'x-environment': 'test' })).toBeNull();
    expect(errorOf(await service.graphql(REMOVE_ISSUER, {}, { key: admin }))).toBeUndefined();
    expect(await read()).toBeNull();
    expectGraphqlError(await service.graphql(REMOVE_ISSUER, {}, { key: admin }), 'not_found');
    const log = await service.graphql('{ auditLog(first: 20) { nodes { action details } } }', {}, { key: owner });
    const entries = log.body.data.auditLog.nodes.filter(({ action }: { action: string }) =>
      action.startsWith('END_USER'),
    );
    expect(entries).toMatchObject([
      { action: 'END_USER_ISSUER_REMOVED', details: {} },
      { action: 'END_USER_ISSUER_SET', details: { jwks_url: jwks.url, scope_claim: 'scope' } },
    ]);
  });

  it('is closed to keys and other members', async () => {
    expectGraphqlError(await set({}, service.keys.live), 'session_required');
    for (const role of ['developer', 'viewer'] as const) {
      expect(errorOf(await set({}, await openSession(service, role)))?.code).toBe('forbidden');
    }
  });

  it.each<[string, object, string]>([
    ['a blank issuer', { issuer: ' ' }, 'issuer'],
    ['too long an issuer', { issuer: 'x'.repeat(LIMITS.addressLength + 1) }, 'issuer'],
    ['too long an audience', { audience: 'x'.repeat(LIMITS.audienceLength + 1) }, 'audience'],
    ['plain http', { jwksUrl: 'http://login.example.com/jwks' }, 'jwksUrl'],
    ['a private address', { jwksUrl: 'https://10.0.0.1/jwks' }, 'jwksUrl'],
    ['a cloud service', { jwksUrl: 'https://169.254.169.254/jwks' }, 'jwksUrl'],
    ['no deployments', { deploymentIds: [] }, 'deploymentIds'],
    ['a blank claim', { scopeClaim: '' }, 'scopeClaim'],
  ])('is not saved with %s', async (_description, fields, param) => {
    expectGraphqlError(await set(fields), 'invalid_request', { param });
  });

  it('is not saved with an unknown deployment', async () => {
    const unknown = '00000000-0000-4000-8000-0000000000ff';
    expectGraphqlError(await set({ deploymentIds: [DEMO_CHAT_ID, unknown] }), 'not_found', {
      param: 'deploymentIds[1]',
    });
  });

  it('is not saved with the issuer and audience of another environment, whatever its keys', async () => {
    expect(errorOf(await set())).toBeUndefined();
    const inTest = { 'x-environment': 'test' };
    expectGraphqlError(await set({}, owner, inTest), 'invalid_request', { param: 'audience' });
    expect(errorOf(await set({ audience: 'parley test' }, owner, inTest))).toBeUndefined();
    expect(errorOf(await set())).toBeUndefined();
  });

  it('is kept if a replacement is not valid, and keeps one row if two are set at the same time', async () => {
    await set({ audience: 'kept' });
    await set({ audience: 'parley test' });
    const { body } = await service.graphql(READ, {}, { key: owner });
    expect(body.data.endUserIssuer.audience).toBe('kept');
    const responses = await Promise.all(['one', 'two', 'three'].map((audience) => set({ audience })));
    expect(responses.map(errorOf)).toEqual([undefined, undefined, undefined]);
  });

  it('is tested with a new request for its keys', async () => {
    await set();
    const problem = async () =>
      (await service.graphql(TEST_ISSUER, {}, { key: owner })).body.data.testEndUserIssuer.problem;
    await jwks.answer({ status: 404 });
    expect(await problem()).toBe('The address responded with status 404 in place of 200.');
    await jwks.publish(await newSigningKey('one'));
    expect(await problem()).toBeNull();
    await service.graphql(REMOVE_ISSUER, {}, { key: owner });
    expectGraphqlError(await service.graphql(TEST_ISSUER, {}, { key: owner }), 'invalid_request');
  });
});
