import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
let administrator: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  administrator = await openSession(service, 'admin');
});
afterAll(() => service.close());

const RESOURCES = '/v1/resources?limit=1';

async function createKey(requestsPerMinute: number | null) {
  const { body } = await service.graphql(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId requestsPerMinute } } ... on Error { code message path } } }`,
    { input: { name: 'Limited', scopes: ['RESOURCES_READ'], requestsPerMinute } },
  );
  const { secret, apiKey } = body.data.createApiKey;
  expect(apiKey.requestsPerMinute).toBe(requestsPerMinute);
  return { secret: secret as string, id: apiKey.apiKeyId as string };
}

const updateKey = (id: string, input: object) =>
  service.graphql(
    'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { __typename ... on UpdateApiKeyPayload { apiKey { name requestsPerMinute } } ... on Error { code message path } } }',
    { input: { id, ...input } },
  );

const setLimits = (input: object, headers = {}) =>
  service.graphql(
    'mutation ($input: SetEnvironmentLimitsInput!) { setEnvironmentLimits(input: $input) { __typename ... on SetEnvironmentLimitsPayload { environmentLimits { requestsPerMinute concurrentRuns } } ... on Error { code message path } } }',
    { input },
    { key: administrator, headers },
  );

const headersOf = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => headers.get(name));

describe('the limit of a key', () => {
  it('appears on every response, and both APIs return 429 with Retry-After above it', async () => {
    const { secret: key } = await createKey(2);
    const first = await service.send('GET', RESOURCES, { key });
    expect([first.status, ...headersOf(first.headers)]).toEqual([200, '2', '1', null]);
    const second = await service.graphql('{ resources(first: 1) { totalCount } }', {}, { key });
    expect([second.status, ...headersOf(second.headers)]).toEqual([200, '2', '0', null]);
    const third = await service.send('GET', RESOURCES, { key });
    expectError(third, 'rate_limited');
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expectGraphqlError(await service.graphql('{ resources { totalCount } }', {}, { key }), 'rate_limited');
    expect((await service.send('GET', RESOURCES)).status).toBe(200);
  });

  it('applies from the next request on, and null removes it', async () => {
    const { secret: key, id } = await createKey(1);
    await service.send('GET', RESOURCES, { key });
    expect((await service.send('GET', RESOURCES, { key })).status).toBe(429);
    expect((await updateKey(id, { requestsPerMinute: null, name: 'Free' })).body.data.updateApiKey.apiKey).toEqual({
      name: 'Free',
      requestsPerMinute: null,
    });
    const free = await service.send('GET', RESOURCES, { key });
    expect([free.status, free.headers.get('ratelimit-limit')]).toEqual([200, null]);
  });

  it.each([0, -1, 1_000_001])('is rejected with %s, and the error names the field', async (requestsPerMinute) => {
    const { id } = await createKey(null);
    const rejected = await updateKey(id, { requestsPerMinute });
    expectGraphqlError(rejected, 'invalid_request', { param: 'requestsPerMinute' });
  });
});

describe('the limits of a deployment', () => {
  const anonymous = (path: string, body: object, address: string) =>
    service.send('POST', path, { key: null, body, headers: { 'x-forwarded-for': address } });

  it('replace the defaults for requests without credentials, by IP address and by conversation', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const changed = await service.graphql(
      `mutation ($input: UpdateDeploymentInput!) { updateDeployment(input: $input) { __typename ... on UpdateDeploymentPayload { deployment {
        anonymousPerMinute conversationTurnsPerMinute turnsPerMinute } } ... on Error { code message path } } }`,
      { input: { deploymentId: id, anonymousPerMinute: 4, conversationTurnsPerMinute: 1 } },
    );
    expect(changed.body.data.updateDeployment.deployment).toEqual({
      anonymousPerMinute: 4,
      conversationTurnsPerMinute: 1,
      turnsPerMinute: null,
    });
    const path = `/v2/runner/${id}/conversation`;
    const { body } = await anonymous(path, { content: textContent('Hi') }, '198.51.100.1');
    const turn = { content: textContent('More'), conversation_id: body.conversation_id };
    expect((await anonymous(path, turn, '198.51.100.1')).status).toBe(200);
    expectError(await anonymous(path, turn, '198.51.100.1'), 'rate_limited');
    expect((await anonymous(path, { content: textContent('Hi') }, '198.51.100.1')).status).toBe(200);
    const over = await anonymous(path, { content: textContent('Hi') }, '198.51.100.1');
    expectError(over, 'rate_limited');
    expect(over.headers.get('ratelimit-limit')).toBe('4');
    expect((await anonymous(path, { content: textContent('Hi') }, '198.51.100.2')).status).toBe(200);
  });

  it('count the turns and one-shot runs of all callers together', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent' });
    await service.graphql(
      `mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, turnsPerMinute: 3 }) { __typename ... on UpdateDeploymentPayload { deployment { name } } ... on Error { code message path } } }`,
      { id },
    );
    const body = { content: textContent('Hi') };
    const paths = ['/v2/runner/ID/conversation', '/v1/runner/ID/conversation', '/v1/runner/ID'];
    for (const path of paths) {
      expect((await service.send('POST', path.replace('ID', id), { body })).status).toBe(200);
    }
    for (const path of [...paths, '/v1/runner/ID/conversation/stream']) {
      expectError(await service.send('POST', path.replace('ID', id), { body }), 'rate_limited');
    }
    const { prisma } = service.service.services.stores;
    expect(await prisma.conversation.count({ where: { deploymentId: id } })).toBe(2);
  });
});

describe('the limits of an environment', () => {
  it('count the requests of all its callers, but not those of the other environment', async () => {
    const response = await setLimits({ requestsPerMinute: 3 }, { 'x-environment': 'test' });
    expect(response.body.data.setEnvironmentLimits.environmentLimits).toEqual({
      requestsPerMinute: 3,
      concurrentRuns: null,
    });
    const statuses: number[] = [];
    for (let number = 0; number < 4; number += 1) {
      statuses.push((await service.send('GET', RESOURCES, { key: service.keys.test })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await service.send('GET', RESOURCES)).status).toBe(200);
  });

  it('allow exactly this many concurrent turns, and more after those have ended', async () => {
    await setLimits({ concurrentRuns: 3 });
    const turns = Array.from({ length: 10 }, () => service.agentTurn('/slow 1.5'));
    const responses = await Promise.all(turns);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const rejected of responses.filter(({ status }) => status !== 200)) {
      expectError(rejected, 'rate_limited');
      expect(rejected.headers.get('retry-after')).toBe('1');
    }
    expect((await service.agentTurn('Hi')).status).toBe(200);
    await setLimits({ concurrentRuns: null });
  });

  it('apply to a resume too, which can be retried with the same Idempotency-Key', async () => {
    const client_capabilities = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const { body } = await service.agentTurn('/call lookup {}\n/say done', { client_capabilities });
    const resume = () =>
      service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        headers: { 'idempotency-key': 'resume-above-the-limit' },
        body: {
          conversation_id: body.conversation_id,
          tool_results: [{ call_id: body.client_tool_calls[0].call_id, output: {} }],
        },
      });
    await setLimits({ concurrentRuns: 1 });
    const busy = service.agentTurn('/slow 2');
    const { prisma } = service.service.services.stores;
    await until(async () => (await prisma.run.count({ where: { status: 'running' } })) === 1);
    expectError(await resume(), 'rate_limited');
    expect((await busy).status).toBe(200);
    expect((await resume()).body.content).toBe('done');
    await setLimits({ concurrentRuns: null });
  });

  it.each([
    [{ concurrentRuns: 0 }, 'concurrentRuns'],
    [{ requestsPerMinute: 0 }, 'requestsPerMinute'],
  ])('are rejected with %j, and the error names the field', async (input, field) => {
    expectGraphqlError(await setLimits(input), 'invalid_request', { param: field });
  });
});
