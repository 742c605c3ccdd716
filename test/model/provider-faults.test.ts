import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelError, type ModelPort, type ModelRequest } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, PROVIDER_SECRET, startFakeProvider } from '../support/fake-provider.ts';
import { modelsAt } from '../support/provider-models.ts';

const KEY = 'sk-key-of-this-service';

let provider: FakeProvider;
let models: ModelPort;

beforeEach(async () => {
  provider = await startFakeProvider();
  models = modelsAt(provider.url, KEY);
});

afterEach(() => provider.close());

function aRequest(model: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    instructions: '',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** The error of a step. */
async function failureOf(step: Promise<unknown>): Promise<ModelError> {
  const failure = await step.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ModelError);
  return failure as ModelError;
}

describe.each(['openai:gpt-test', 'anthropic:claude-test', 'openai-compatible:any-test'])('%s', (model) => {
  it.each([
    [401, 'The model provider refused the credentials (401).'],
    [403, 'The model provider refused the credentials (403).'],
    [404, 'The model provider does not know this model (404).'],
    [400, 'The model provider refused the request (400).'],
  ])('fails at once when the provider answers %i', async (status, message) => {
    provider.reply({ kind: 'status', status });

    const failure = await failureOf(models.step(aRequest(model)));

    expect(failure).toMatchObject({ kind: 'failed', message, partialText: '' });
    expect(failure.cause).toBeInstanceOf(Error);
    expect(provider.requests).toHaveLength(1);
  });

  it.each([400, 422])('repeats a request that the provider answers %i once, without earlier turns', async (status) => {
    provider.reply({ kind: 'status', status }, { kind: 'answer', deltas: ['Better.'] });
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Yes' },
      { role: 'user', content: 'Two' },
    ] as const;

    expect(await models.step(aRequest(model, { messages }))).toMatchObject({ text: 'Better.' });
    expect(provider.requests).toHaveLength(2);
    expect(provider.requests[1]?.body.messages).toMatchObject([{ role: 'user' }]);

    provider.reply({ kind: 'status', status });
    await failureOf(models.step(aRequest(model, { messages })));
    expect(provider.requests).toHaveLength(4);
  });

  it('reveals neither the provider’s text nor the key outside of the cause', async () => {
    provider.reply({ kind: 'status', status: 401 });

    const failure = await failureOf(models.step(aRequest(model)));

    expect(`${failure.message} ${failure.stack}`).not.toContain(PROVIDER_SECRET);
    expect(inspect(failure, { depth: Number.POSITIVE_INFINITY })).not.toContain(KEY);
  });

  it('waits as long as a rate-limiting provider requests, then continues', async () => {
    provider.reply(
      { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
      { kind: 'answer', deltas: ['Now.'] },
    );

    const step = await models.step(aRequest(model));

    expect(step.text).toBe('Now.');
    const [first, second] = provider.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(950);
  });

  it.each([
    [429, 'The model provider is limiting requests (429).'],
    [500, 'The model provider failed (500).'],
    [529, 'The model provider failed (529).'],
  ])('gives up on a provider that keeps answering %i after two more attempts', async (status, message) => {
    provider.reply({ kind: 'status', status, headers: { 'retry-after-ms': '1' } });

    expect(await failureOf(models.step(aRequest(model)))).toMatchObject({ kind: 'failed', message, retryAfterMs: 1 });
    expect(provider.requests).toHaveLength(3);
  });

  it.each([['cut'], ['eof']] as const)('keeps the partial text if the connection breaks (%s)', async (kind) => {
    provider.reply({ kind, deltas: ['Half ', 'an '] });
    const heard: string[] = [];

    const failure = await failureOf(models.step(aRequest(model), (delta) => void heard.push(delta)));

    expect(failure).toMatchObject({ kind: 'failed', message: 'The connection to the model provider broke off.' });
    expect(failure.partialText).toBe('Half an ');
    expect(heard.join('')).toBe('Half an ');
  });

  it('fails if the reply ends before its first piece', async () => {
    provider.reply({ kind: 'eof' });

    const message = 'The connection to the model provider broke off.';
    expect(await failureOf(models.step(aRequest(model)))).toMatchObject({ kind: 'failed', message, partialText: '' });
  });

  it('keeps the partial text before an error in the stream, without the error’s text', async () => {
    provider.reply({ kind: 'error-event', deltas: ['Half ', 'an '] });

    const failure = await failureOf(models.step(aRequest(model)));

    expect(failure).toMatchObject({ kind: 'failed', message: 'The model provider failed.', partialText: 'Half an ' });
  });

  it('times out if the provider does not respond', async () => {
    provider.reply({ kind: 'hang' });

    const failure = await failureOf(models.step(aRequest(model, { timeoutMs: 100 })));

    expect(failure).toMatchObject({ kind: 'timeout', message: 'The model did not answer within 0.1 s.' });
  });

  it('times out while it waits to retry', async () => {
    provider.reply({ kind: 'status', status: 429, headers: { 'retry-after': '30' } });

    expect(await failureOf(models.step(aRequest(model, { timeoutMs: 200 })))).toMatchObject({ kind: 'timeout' });
  });

  it('times out with the partial text if the provider stops responding', async () => {
    provider.reply({ kind: 'stall', deltas: ['Half '] });

    const failure = await failureOf(models.step(aRequest(model, { timeoutMs: 1000 })));

    expect(failure).toMatchObject({ kind: 'timeout', partialText: 'Half ' });
    await provider.requests[0]?.closed;
  });

  it('closes the connection if it is aborted before the provider responds', async () => {
    provider.reply({ kind: 'hang' });
    const stop = new AbortController();
    const asked = provider.nextRequest();

    const step = failureOf(models.step(aRequest(model, { signal: stop.signal })));
    const request = await asked;
    stop.abort(new Error('nobody listens any more'));

    expect(await step).toMatchObject({ kind: 'aborted', partialText: '' });
    await request.closed;
  });

  it('keeps the partial text if it is aborted during the reply', async () => {
    provider.reply({ kind: 'stall', deltas: ['Half ', 'an '] });
    const stop = new AbortController();

    const step = models.step(aRequest(model, { signal: stop.signal }), (delta) => {
      if (delta.endsWith('an ')) stop.abort();
    });

    expect(await failureOf(step)).toMatchObject({ kind: 'aborted', partialText: 'Half an ' });
    await provider.requests[0]?.closed;
  });

  it('sends nothing if it was aborted before the start', async () => {
    expect(await failureOf(models.step(aRequest(model, { signal: AbortSignal.abort() })))).toMatchObject({
      kind: 'aborted',
    });
    expect(provider.requests).toHaveLength(0);
  });

  it('does not blame the provider if the listener fails', async () => {
    provider.reply({ kind: 'stall', deltas: ['Half '] });

    const step = models.step(aRequest(model), () => Promise.reject(new Error('disk full')));

    const message = 'The answer of the model could not be passed on.';
    expect(await failureOf(step)).toMatchObject({ kind: 'failed', message, partialText: 'Half ' });
    await provider.requests[0]?.closed;
  });
});

it('reports an unreachable provider', async () => {
  await provider.close();

  // The retries are seconds apart.
  const failure = await failureOf(models.step(aRequest('openai:gpt-test')));

  expect(failure).toMatchObject({ kind: 'failed', message: 'The model provider could not be reached.' });
});

it('reports a reply that does not follow the protocol', async () => {
  provider.reply({ kind: 'garbage' });

  const failure = await failureOf(models.step(aRequest('openai:gpt-test')));

  const message = 'The answer of the model provider could not be understood.';
  expect(failure).toMatchObject({ kind: 'failed', message });
});
