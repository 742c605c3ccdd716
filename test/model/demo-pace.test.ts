import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/domain/agent/model-port.ts';
import { demoModel } from '../../src/model/demo-model.ts';

function aRequest(text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'demo',
    instructions: '',
    messages: [{ role: 'user', content: text }],
    tools: [],
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    isWatched: () => true,
    ...changes,
  };
}

async function heardOf(text: string): Promise<{ heard: string[]; text: string }> {
  const heard: string[] = [];
  const step = await demoModel.step(aRequest(text), (delta) => void heard.push(delta));
  return { heard, text: step.text };
}

it('streams one word at a time, with its trailing space', async () => {
  const { heard, text } = await heardOf('/stream 4');
  expect(heard).toEqual(['word1 ', 'word2 ', 'word3 ', 'word4']);
  expect(text).toBe('word1 word2 word3 word4');
});

it.each(['  two  spaces,\n\ttabs and lines \n', 'word', ' '])('streams exactly its text: "%s"', async (said) => {
  const { heard, text } = await heardOf(said);
  expect(heard.join('')).toBe(text);
  expect(text).toBe(`You said: ${said}`);
});

it('pauses between words when somebody reads them', async () => {
  const started = performance.now();
  await heardOf('/stream 11');
  expect(performance.now() - started).toBeGreaterThan(100);
});

it('returns a long text immediately when nobody reads it', async () => {
  const step = await demoModel.step(aRequest('/stream 10000', { timeoutMs: 2000, isWatched: () => false }));
  expect(step.text).toMatch(/^word1 .* word10000$/);
});

it('waits until the listener has taken a word before it streams the next', async () => {
  const order: string[] = [];
  await demoModel.step(aRequest('/say one two'), async (delta) => {
    order.push(`take ${delta}`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`took ${delta}`);
  });
  expect(order).toEqual(['take one ', 'took one ', 'take two', 'took two']);
});

it('keeps the partial text when it is aborted', async () => {
  const stop = new AbortController();
  const heard: string[] = [];
  const step = demoModel.step(aRequest('/stream 1000', { signal: stop.signal }), (delta) => {
    heard.push(delta);
    if (heard.length === 3) stop.abort();
  });
  await expect(step).rejects.toMatchObject({ kind: 'aborted', partialText: 'word1 word2 word3 ' });
  expect(heard.join('')).toBe('word1 word2 word3 ');
});

it('keeps the partial text when it times out', async () => {
  const heard: string[] = [];
  const step = demoModel.step(aRequest('/stream 1000', { timeoutMs: 100 }), (delta) => void heard.push(delta));
  const failure: unknown = await step.catch((error) => error);
  expect(failure).toMatchObject({ kind: 'timeout', partialText: heard.join('') });
  expect(heard.length).toBeGreaterThan(0);
});

it('waits before the next line', async () => {
  const started = performance.now();
  const step = await demoModel.step(aRequest('/slow 0.2\n/say done'));
  expect(step.text).toBe('done');
  expect(performance.now() - started).toBeGreaterThan(190);
});

it('times out while it waits', async () => {
  await expect(demoModel.step(aRequest('/slow 60\n/say done', { timeoutMs: 50 }))).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'timeout',
    message: 'The model did not answer within 0.05 s.',
    partialText: '',
  });
});

it('stops when it is aborted while it waits', async () => {
  const stop = new AbortController();
  const step = demoModel.step(aRequest('/slow 60', { signal: stop.signal }));
  stop.abort();
  await expect(step).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' });
});

it('does nothing if it was aborted before the start', async () => {
  const step = demoModel.step(aRequest('Hello', { signal: AbortSignal.abort() }));
  await expect(step).rejects.toMatchObject({ kind: 'aborted', partialText: '' });
});

it('does not time out immediately if the time limit exceeds the range of timers', async () => {
  const step = await demoModel.step(aRequest('/slow 0.01\n/say done', { timeoutMs: Number.MAX_SAFE_INTEGER }));
  expect(step.text).toBe('done');
});

it('fails with the partial text when the listener fails', async () => {
  const step = demoModel.step(aRequest('/say one two'), () => {
    throw new Error('disk full');
  });
  const message = 'The answer of the model could not be passed on.';
  await expect(step).rejects.toMatchObject({ kind: 'failed', message, partialText: 'one ' });
});
