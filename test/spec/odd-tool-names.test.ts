import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

/** What OpenAI, Anthropic, Mistral and Gemini accept together. */
const STRICTEST = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

let started: ProviderService;
beforeAll(async () => {
  started = await startProviderService();
});
afterAll(() => started.close());

/** The names of the calls in the messages of a request. */
function namesIn(body: Readonly<Record<string, unknown>>): string[] {
  const messages = body.messages as readonly {
    readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
    readonly content?: unknown;
  }[];
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const uses = blocks.flatMap(({ type, name }) => (type === 'tool_use' ? [name as string] : []));
  return [...messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name)), ...uses];
}

describe.each(['openai:any', 'openai-compatible:any', 'anthropic:any'])('a model of %s', (model) => {
  it.each([
    ['with a space', 'foo bar'],
    ['that is empty', ''],
    ['of 300 characters', 'n'.repeat(300)],
    ['of control characters', '\u0001\u001b[2J'],
    ['of NUL characters', '\0\0'],
    ['with half a character', 'look\ud800'],
    ['that begins with a digit', '7-look'],
    ['in another alphabet', 'найти'],
    ['with a line break', 'look\nup'],
    ['like the prototype of all objects', '__proto__'],
    ['like a member of all objects', 'constructor'],
  ])(
    'that calls a tool %s learns that it does not exist, and the next requests are valid',
    async (_description, name) => {
      const { provider, agent, turn } = started;
      const id = await agent({
        model,
        clientTools: [{ name: 'look', description: '', inputSchema: { type: 'object' } }],
      });
      const finish = model.startsWith('anthropic') ? 'tool_use' : 'tool_calls';
      const before = provider.requests.length;
      const done = { kind: 'answer', deltas: ['Done.'] } as const;
      provider.reply({ kind: 'answer', calls: [{ name, arguments: '{}' }], finish }, done);
      const { status, body } = await turn(id, { client_capabilities: ['look'] });
      expect({ status, content: body.content }).toEqual({ status: 200, content: 'Done.' });
      const { conversation_id } = body;
      expect((await turn(id, { conversation_id, client_capabilities: ['look'] })).status).toBe(200);
      const [, second, third] = provider.requests.slice(before).map((request) => request.body);
      for (const request of [second, third]) {
        const names = namesIn(request ?? {});
        expect(names).toHaveLength(1);
        for (const sent of names) expect(sent).toMatch(STRICTEST);
        expect(JSON.stringify(request)).toContain('There is no tool ');
      }
    },
  );
});
