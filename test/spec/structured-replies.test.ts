import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { readEvents } from '../support/streams.ts';
import { makeDeployment } from '../support/tenants.ts';

const outputSchema = {
  type: 'object',
  properties: { mood: { type: 'string', enum: ['good', 'bad'] }, score: { type: 'integer' } },
  required: ['mood'],
  additionalProperties: false,
};

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startService();
  ({ id } = await makeDeployment(
    service,
    {
      instructions: 'Judge.',
      outputSchema,
      clientTools: [{ name: 'lookup', description: '', availability: 'always' }],
    },
    { kind: 'agent' },
  ));
});
afterAll(() => service.close());

const GOOD = { mood: 'good', score: 3 };
const say = (value: unknown) => `/say ${typeof value === 'string' ? value : JSON.stringify(value)}`;

const PATHS = ['/v1/runner/ID/conversation', '/v2/runner/ID/conversation', '/v1/runner/ID', '/v2/runner/ID'];

describe.each(PATHS)('content of a deployment with an output schema through %s', (path) => {
  const send = (text: string) => service.send('POST', path.replace('ID', id), { body: { content: textContent(text) } });

  it('is the parsed object', async () => {
    expect((await send(say(GOOD))).body.content).toEqual(GOOD);
  });

  it.each([
    ['no JSON', 'I feel good'],
    ['a wrong value', { mood: 'fine' }],
    ['a list', [GOOD]],
    ['another field', { ...GOOD, more: 1 }],
  ])('is corrected by the model if it was %s at first', async (_description, bad) => {
    const { status, body } = await send(`${say(bad)}\n${say(GOOD)}`);
    expect([status, body.content]).toEqual([200, GOOD]);
  });

  it('returns 502 if the model does not correct it', async () => {
    const result = await send(`${say('no')}\n${say('still no')}\n${say(GOOD)}`);
    expect(result.body.error).toMatchObject({ code: 'model_error', message: expect.stringContaining('output schema') });
    expect(result.status).toBe(502);
  });

  it('may come in a code fence', async () => {
    const fenced = `\`\`\`json ${JSON.stringify(GOOD)} \`\`\``;
    expect((await send(say(fenced))).body.content).toEqual(GOOD);
  });
});

describe('a structured reply', () => {
  it('is streamed once it matches, without any part of a rejected reply', async () => {
    const response = await fetch(`${service.url}/v1/runner/${id}/conversation/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.keys.live}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ content: textContent(`${say('no')}\n${say(GOOD)}`) }),
    });
    const events = await readEvents(response);
    expect(events.map(({ event }) => event)).toEqual(['start', 'delta', 'done']);
    expect(JSON.parse(String(events[1]?.data.text))).toEqual(GOOD);
    expect(events[2]?.data.content).toEqual(GOOD);
  });

  it('counts the tokens of both attempts and stores only the corrected one as a message', async () => {
    const path = `/v1/runner/${id}/conversation`;
    const once = (await service.send('POST', path, { body: { content: textContent(say(GOOD)) } })).body;
    const twice = await service.send('POST', path, { body: { content: textContent(`${say('no')}\n${say(GOOD)}`) } });
    expect(twice.body.input_tokens).toBeGreaterThan(once.input_tokens);
    const { body } = await service.send('GET', `/v1/runner/conversation/${twice.body.conversation_id}/messages`);
    expect(body.total).toBe(2);
    expect(JSON.parse(body.items[1].content[0].text)).toEqual(GOOD);
  });

  it('is the same for a resume and for its retry', async () => {
    const path = `/v2/runner/${id}/conversation`;
    const paused = await service.send('POST', path, {
      body: { content: textContent(`/call lookup {}\n${say(GOOD)}`) },
    });
    const { conversation_id, client_tool_calls } = paused.body;
    const tool_results = [{ call_id: client_tool_calls[0].call_id, output: {} }];
    const first = await service.send('POST', path, { body: { conversation_id, tool_results } });
    const retry = await service.send('POST', path, { body: { conversation_id, tool_results } });
    expect(first.body.content).toEqual(GOOD);
    expect(retry.body.content).toEqual(GOOD);
  });

  it('is described in the instructions', async () => {
    const result = await service.send('POST', `/v1/runner/${id}`, { body: { content: textContent('/instructions') } });
    expectError(result, 'model_error');
    const { id: plain } = await makeDeployment(service, { instructions: 'Judge.' });
    const message = await service.send('POST', `/v1/runner/${plain}`, {
      body: { content: textContent('/instructions') },
    });
    expect(message.body.content).toBe('Judge.');
  });
});
