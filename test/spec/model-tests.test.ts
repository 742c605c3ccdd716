import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { makeBudget } from '../support/budgets.ts';
import { PROVIDER_SECRET } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { mutationOf, resultOf } from '../support/results.ts';
import { makeKey, makeMember, makeWorkspace, openSessionOf } from '../support/tenants.ts';

const TEST = mutationOf(
  'testModel',
  `{ test { model answer finishReason responseTime inputTokens outputTokens
     failure { reason message advice } failedAttempts { message status body } } }`,
);

const MODEL = 'openai-compatible:test';

let host: ProviderService;
beforeAll(async () => {
  host = await startProviderService();
});
afterAll(() => host.close());

/** A workspace of its own, so that no test uses up the limit of another. */
const newKey = async () => (await makeWorkspace(host.service)).keys.live;

async function test(model: string, key: string) {
  return resultOf(await host.service.graphql(TEST, { input: { model } }, { key }));
}

describe('the test of a model', () => {
  it('shows its answer, its time and its tokens, and stores nothing', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['Good ', 'day!'], usage: { input: 12, output: 3 } });
    const { prisma } = host.service.service.services.stores;
    const lines = await prisma.workflowLog.count();
    const result = await test(MODEL, await newKey());
    expect(result).toMatchObject({ model: MODEL, answer: 'Good day!', finishReason: 'STOP', failure: null });
    expect(result).toMatchObject({ inputTokens: 12, outputTokens: 3, failedAttempts: [] });
    expect(result.responseTime).toBeGreaterThan(0);
    const { body } = host.provider.requests.at(-1) ?? {};
    expect(body).toMatchObject({ max_tokens: LIMITS.modelTestTokens });
    expect(await prisma.workflowLog.count()).toBe(lines);
  });

  it('of the built-in model needs no provider', async () => {
    expect(await test('demo', await newKey())).toMatchObject({ failure: null, finishReason: 'STOP' });
  });

  it.each([
    [401, 'PROVIDER_KEY_REJECTED', /OPENAI_API_KEY/],
    [404, 'PROVIDER_MODEL_UNKNOWN', /name of the model/],
    [400, 'PROVIDER_REFUSED', /trace|model/],
  ])('explains a refusal with the status %d, and shows what the provider says', async (status, reason, advice) => {
    host.provider.reply({ kind: 'status', status, body: `Refused ${PROVIDER_SECRET}` });
    const { answer, failure, failedAttempts } = await test(MODEL, await newKey());
    expect({ answer, reason: failure.reason }).toEqual({ answer: null, reason });
    expect(failure.advice).toMatch(advice);
    expect(failedAttempts.at(-1)).toMatchObject({ status, body: expect.stringContaining('Refused [secret]') });
  });

  it('says which variable a provider that is not configured needs', async () => {
    const own = await startProviderService({ providers: { openai: {}, anthropic: {} } });
    try {
      const result = resultOf(await own.service.graphql(TEST, { input: { model: 'anthropic:claude' } }));
      expect(result.failure.reason).toBe('PROVIDER_NOT_CONFIGURED');
      expect(result.failure.advice).toContain('ANTHROPIC_API_KEY');
    } finally {
      await own.close();
    }
  });

  it('shows the response of the provider only to callers who may read traces', async () => {
    host.provider.reply({ kind: 'status', status: 401 });
    const { environments } = await makeWorkspace(host.service);
    const key = await makeKey(host.service, { environmentId: environments.live, scopes: ['workflows:write'] });
    const result = await test(MODEL, key);
    expect(result).toMatchObject({ failedAttempts: null, failure: { reason: 'PROVIDER_KEY_REJECTED' } });
  });

  it('shows the beginning of a long answer, without half a character', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['x'.repeat(LIMITS.modelTestLength - 1), '😀\0!'] });
    const { answer } = await test(MODEL, await newKey());
    expect(answer).toBe('x'.repeat(LIMITS.modelTestLength - 1));
  });

  it('is not for members who cannot change workflows', async () => {
    const viewer = await openSessionOf(host.service, await makeMember(host.service, 'viewer'));
    const sent = host.provider.requests.length;
    const { body } = await host.service.graphql(TEST, { input: { model: MODEL } }, { key: viewer });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(host.provider.requests).toHaveLength(sent);
  });

  it('names the field of a model without a provider', async () => {
    const { body } = await host.service.graphql(TEST, { input: { model: 'gpt-x' } });
    expect(body.data.testModel).toMatchObject({ code: 'INVALID_REQUEST', path: ['model'] });
  });

  it('counts its cost in the budgets of its environment, and is refused when one is used up', async () => {
    const { environments, keys } = await makeWorkspace(host.service);
    const { prisma } = host.service.service.services.stores;
    const amount = 3_000;
    await makeBudget(prisma, { environmentId: environments.live, place: 'environment', amount });
    host.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 2_000, output: 900 } });
    expect(await test(MODEL, keys.live)).toMatchObject({ answer: 'Hi' });
    const budget = await prisma.budget.findFirstOrThrow({ where: { environmentId: environments.live } });
    expect(Number(budget.spent)).toBe(2_900);
    const { body } = await host.service.graphql(TEST, { input: { model: MODEL } }, { key: keys.live });
    expect(body.data.testModel).toMatchObject({ code: 'BUDGET_REACHED' });
  });

  it('counts what a provider has charged before it failed', async () => {
    const { environments, keys } = await makeWorkspace(host.service);
    const { prisma } = host.service.service.services.stores;
    await makeBudget(prisma, { environmentId: environments.live, place: 'environment', amount: 100_000 });
    host.provider.reply({ kind: 'cut', deltas: ['Half an answer that takes a few tokens'] });
    expect(await test(MODEL, keys.live)).toMatchObject({ answer: null, failure: { reason: 'PROVIDER_DISCONNECTED' } });
    const budget = await prisma.budget.findFirstOrThrow({ where: { environmentId: environments.live } });
    expect(Number(budget.spent)).toBeGreaterThan(0);
  });

  it(`is possible ${RATE_LIMITS.modelTests.points} times per minute in an environment`, async () => {
    const key = await newKey();
    for (let index = 0; index < RATE_LIMITS.modelTests.points; index += 1) await test('demo', key);
    const { body } = await host.service.graphql(TEST, { input: { model: 'demo' } }, { key });
    expect(body.errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(await test('demo', await newKey())).toMatchObject({ failure: null });
  });
});

describe('the models that a provider offers', () => {
  const OFFER = '{ availableModels { providers { name offer { models askedAt failure { reason advice } } } } }';

  let own: ProviderService;
  afterEach(() => own.close());

  /** What each provider offers, of a service that has not asked yet. */
  async function offers(list: object | number, overrides: Parameters<typeof startProviderService>[0] = {}) {
    own = await startProviderService(overrides);
    own.provider.offer(list);
    return readOffers();
  }

  async function readOffers() {
    const { body } = await own.service.graphql(OFFER);
    return Object.fromEntries(
      body.data.availableModels.providers.map((provider: { name: string }) => [provider.name, provider]),
    );
  }

  const listOf = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

  it('are asked from it, in order, with its key', async () => {
    const found = await offers(listOf('b', 'a', 'a', 'with space', '', 'x'.repeat(300)));
    expect(found['openai-compatible'].offer).toMatchObject({
      models: ['openai-compatible:a', 'openai-compatible:b'],
      failure: null,
    });
    expect(found.anthropic.offer.models).toEqual(['anthropic:a', 'anthropic:b']);
    const byUrl = Object.fromEntries(own.provider.listRequests.map(({ url, headers }) => [url, headers]));
    expect(byUrl['/v1/models']).toMatchObject({ authorization: 'Bearer a-key' });
    expect(byUrl['/v1/models?limit=1000']).toMatchObject({ 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01' });
  });

  it('are asked once per minute, however many members look', async () => {
    await offers(listOf('a'));
    const asked = own.provider.listRequests.length;
    own.provider.offer(listOf('b'));
    const again = await Promise.all([readOffers(), readOffers(), readOffers()]);
    for (const { anthropic } of again) expect(anthropic.offer.models).toEqual(['anthropic:a']);
    expect(own.provider.listRequests).toHaveLength(asked);
  });

  it('leave out fine-tuned models, and those of OpenAI that cannot chat', async () => {
    const found = await offers(
      listOf('gpt-6', 'ft:gpt-6:acme::1', 'text-embedding-3-large', 'whisper-1', 'gpt-image-1', 'dall-e-3', 'tts-1-hd'),
    );
    expect(found.openai.offer.models).toEqual(['openai:gpt-6']);
    expect(found['openai-compatible'].offer.models).toContain('openai-compatible:text-embedding-3-large');
    expect(JSON.stringify(found)).not.toContain('acme');
  });

  it.each([
    ['a bare list', [{ id: 'a' }, null, 7, { id: 8 }], ['anthropic:a']],
    ['null instead of an empty list', { object: 'list', data: null }, []],
    ['no list at all', 404, []],
    ['a method that is not allowed', 405, []],
  ])('can be %s', async (_form, list, models) => {
    const { anthropic } = await offers(list);
    expect(anthropic.offer).toMatchObject({ models, failure: null });
  });

  it.each([
    ['refuses the key', 401, 'PROVIDER_KEY_REJECTED'],
    ['fails', 503, 'PROVIDER_FAILED'],
    ['redirects', 302, 'PROVIDER_REFUSED'],
    ['sends something else', { data: 'models' }, 'PROVIDER_UNREADABLE'],
    ['sends more than its limit', listOf('x'.repeat(LIMITS.offeredModelsBytes)), 'PROVIDER_UNREADABLE'],
  ])('are missing with a reason if it %s', async (_behaviour, list, reason) => {
    const { anthropic } = await offers(list);
    expect(anthropic.offer).toMatchObject({ models: [], failure: { reason } });
  });

  it('are missing with a reason if the provider cannot be reached', async () => {
    const found = await offers(404, {
      providers: { openai: {}, anthropic: { apiKey: 'k', baseUrl: 'http://127.0.0.1:9/v1' } },
    });
    expect(found.anthropic.offer).toMatchObject({ models: [], failure: { reason: 'PROVIDER_UNREACHABLE' } });
    expect(found.anthropic.offer.failure.advice).toContain('ANTHROPIC_BASE_URL');
    expect(found.openai.offer).toBeNull();
  });
});
