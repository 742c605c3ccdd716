import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../support/doors.ts';
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
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { apiKeyId requestsPerMinute } } }`,
    { input: { name: 'Limited', scopes: ['resources:read'], requestsPerMinute } },
  );
  const { secret, apiKey } = body.data.createApiKey;
  expect(apiKey.requestsPerMinute).toBe(requestsPerMinute);
  return { secret: secret as string, id: apiKey.apiKeyId as string };
}

const updateKey = (id: string, input: object) =>
  service.graphql(
    'mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { name requestsPerMinute } }',
    { id, input },
  );

const setLimits = (input: object, headers = {}) =>
  service.graphql(
    'mutation ($input: EnvironmentLimitsInput!) { setEnvironmentLimits(input: $input) { requestsPerMinute concurrentRuns } }',
    { input },
    { key: administrator, headers },
  );

const headersOf = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => headers.get(name));

describe('WIRE 14: the limit of a key', () => {
  it('is told on every answer, and what is over it is 429 with Retry-After at either door', async () => {
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

  it('is changed from the next request on, and taken off by null', async () => {
    const { secret: key, id } = await createKey(1);
    await service.send('GET', RESOURCES, { key });
    expect((await service.send('GET', RESOURCES, { key })).status).toBe(429);
    expect((await updateKey(id, { requestsPerMinute: null, name: 'Free' })).body.data.updateApiKey).toEqual({
      name: 'Free',
      requestsPerMinute: null,
    });
    const free = await service.send('GET', RESOURCES, { key });
    expect([free.status, free.headers.get('ratelimit-limit')]).toEqual([200, null]);
  });

  it.each([0, -1, 1_000_001])('is refused with %s, and the field is named', async (requestsPerMinute) => {
    const { id } = await createKey(null);
    const refused = await updateKey(id, { requestsPerMinute });
    expectGraphqlError(refused, 'invalid_request', { param: 'requestsPerMinute' });
  });
});

describe('WIRE 14: the limits of a deployment', () => {
  const anonymous = (path: string, body: object, address: string) =>
    service.send('POST', path, { key: null, body, headers: { 'x-forwarded-for': address } });

  it('stand in place of those for requests without credentials, by address and by conversation', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const changed = await service.graphql(
      `mutation ($id: UUID!, $input: UpdateDeploymentInput!) { updateDeployment(deploymentId: $id, input: $input) {
        anonymousPerMinute conversationTurnsPerMinute turnsPerMinute } }`,
      { id, input: { anonymousPerMinute: 4, conversationTurnsPerMinute: 1 } },
    );
    expect(changed.body.data.updateDeployment).toEqual({
      anonymousPerMinute: 4,
      conversationTurnsPerMinute: 1,
      turnsPerMinute: null,
    });
    const path = `/v2/runner/${id}/conversation`;
    const { body } = await anonymous(path, { content: text('Hi') }, '198.51.100.1');
    const turn = { content: text('More'), conversation_id: body.conversation_id };
    expect((await anonymous(path, turn, '198.51.100.1')).status).toBe(200);
    expectError(await anonymous(path, turn, '198.51.100.1'), 'rate_limited');
    expect((await anonymous(path, { content: text('Hi') }, '198.51.100.1')).status).toBe(200);
    const over = await anonymous(path, { content: text('Hi') }, '198.51.100.1');
    expectError(over, 'rate_limited');
    expect(over.headers.get('ratelimit-limit')).toBe('4');
    expect((await anonymous(path, { content: text('Hi') }, '198.51.100.2')).status).toBe(200);
  });

  it('count turns and one-shot runs of all callers together', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent' });
    await service.graphql(
      `mutation ($id: UUID!) { updateDeployment(deploymentId: $id, input: { turnsPerMinute: 3 }) { name } }`,
      { id },
    );
    const body = { content: text('Hi') };
    const paths = ['/v2/runner/ID/conversation', '/v1/runner/ID/conversation', '/v1/runner/ID'];
    for (const path of paths) {
      expect((await service.send('POST', path.replace('ID', id), { body })).status).toBe(200);
    }
    for (const path of [...paths, '/v1/runner/ID/conversation/stream']) {
      expectError(await service.send('POST', path.replace('ID', id), { body }), 'rate_limited');
    }
    const { prisma } = service.service.services;
    expect(await prisma.conversation.count({ where: { deploymentId: id } })).toBe(2);
  });
});

describe('WIRE 14: the limits of an environment', () => {
  it('count the requests of all its callers, and not those of the other environment', async () => {
    const answer = await setLimits({ requestsPerMinute: 3 }, { 'x-environment': 'test' });
    expect(answer.body.data.setEnvironmentLimits).toEqual({ requestsPerMinute: 3, concurrentRuns: null });
    const statuses: number[] = [];
    for (let number = 0; number < 4; number += 1) {
      statuses.push((await service.send('GET', RESOURCES, { key: service.keys.test })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await service.send('GET', RESOURCES)).status).toBe(200);
  });

  it('let so many turns be at work at once, exactly, and the next ones when those have ended', async () => {
    await setLimits({ concurrentRuns: 3 });
    const turns = Array.from({ length: 10 }, () => service.agentTurn('/slow 1.5'));
    const answers = await Promise.all(turns);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expectError(refused, 'rate_limited');
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect((await service.agentTurn('Hi')).status).toBe(200);
    await setLimits({ concurrentRuns: null });
  });

  it('hold for a resume too, which can be sent again', async () => {
    const client_capabilities = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const { body } = await service.agentTurn('/call lookup {}\n/say done', { client_capabilities });
    const resume = () =>
      service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        body: {
          conversation_id: body.conversation_id,
          tool_results: [{ call_id: body.client_tool_calls[0].call_id, output: {} }],
        },
      });
    await setLimits({ concurrentRuns: 1 });
    const busy = service.agentTurn('/slow 2');
    const { prisma } = service.service.services;
    await until(async () => (await prisma.run.count({ where: { status: 'running' } })) === 1);
    expectError(await resume(), 'rate_limited');
    expect((await busy).status).toBe(200);
    expect((await resume()).body.content).toBe('done');
    await setLimits({ concurrentRuns: null });
  });

  it.each([
    [{ concurrentRuns: 0 }, 'concurrentRuns'],
    [{ requestsPerMinute: 0 }, 'requestsPerMinute'],
  ])('are refused with %j, and the field is named', async (input, field) => {
    expectGraphqlError(await setLimits(input), 'invalid_request', { param: field });
  });
});
