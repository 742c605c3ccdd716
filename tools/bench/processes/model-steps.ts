import { Agent } from 'undici';
import { createModels } from '../../../src/model/models.ts';
import { serveOrders } from '../core/helper-messages.ts';
import { replyOf } from '../core/replies.ts';
import type { StepOrder } from '../core/steps.ts';

// Runs the steps of a model in this process, or only reads the same bytes.

serveOrders<StepOrder>(async (order) => {
  const run = order.client === 'undici' ? reader(order) : steps(order);
  await repeat(run, order.count / 4);
  const before = process.cpuUsage();
  await repeat(run, order.count);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000 / order.count };
});

/** Four at a time, so that the process is busy. */
async function repeat(run: () => Promise<void>, count: number): Promise<void> {
  let left = Math.ceil(count);
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all([loop(), loop(), loop(), loop()]);
}

function steps({ url, protocol, tokens, client }: StepOrder): () => Promise<void> {
  const settings = { apiKey: 'a-key', baseUrl: url };
  const models = createModels({ openai: settings, anthropic: settings });
  const model = protocol === 'chat' ? 'openai:gpt-bench' : 'anthropic:claude-bench';
  const expected = replyOf(protocol, tokens).words.join('');
  const request = {
    ...{ model, instructions: 'Be kind.', messages: [{ role: 'user', content: 'Hello' } as const] },
    ...{ tools: [], timeoutMs: 30_000, signal: new AbortController().signal },
  };
  return async () => {
    let heard = 0;
    const listener = (delta: string) => {
      heard += delta.length;
    };
    const { text } = await models.step(request, client === 'watched step' ? listener : undefined);
    if (text !== expected) throw new Error(`A reply has ${text.length} characters instead of ${expected.length}.`);
    if (client === 'watched step' && heard !== text.length) throw new Error('The listener missed a part.');
  };
}

const agent = new Agent();

function reader({ url, protocol, tokens }: StepOrder): () => Promise<void> {
  const target = new URL(`${url}/${protocol === 'chat' ? 'chat/completions' : 'messages'}`);
  const length = replyOf(protocol, tokens).chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return async () => {
    const { body } = await agent.request({
      ...{ origin: target.origin, path: target.pathname, method: 'POST' },
      ...{ headers: { 'content-type': 'application/json' }, body: '{"stream":true}' },
    });
    let read = 0;
    for await (const bytes of body) read += (bytes as Buffer).length;
    if (read !== length) throw new Error(`A reply has ${read} bytes instead of ${length}.`);
  };
}
