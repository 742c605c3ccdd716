import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { HttpResponse } from '../support/client.ts';
import { createDatabase, POSTGRES_URL } from '../support/database.ts';
import { DIALECTS, type Dialect, issuedFor } from '../support/dialects/dialect.ts';
import { modelOf, type StrictProvider, startStrictProvider } from '../support/dialects/strict-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

const TURNS = 60;

/** What happens in a turn. The first one starts the conversation. */
const ACTIONS = ['say', 'call', 'cut', 'hang', 'call', 'call-cut', 'blank', 'cut', 'cut', 'call-stop'] as const;

type Action = (typeof ACTIONS)[number];

interface Conversation {
  readonly conversation_id?: string;
}

const LOOKUP = {
  name: 'lookup',
  description: 'Looks up.',
  inputSchema: { type: 'object', anyOf: [{ required: ['turn'] }, { required: ['other'] }] },
};

describe.concurrent.each(DIALECTS)('a conversation of %s', (dialect) => {
  let provider: StrictProvider;
  /** The processes that run the turns, one after another. They share a database. */
  let services: readonly TestService[];
  beforeAll(async () => {
    provider = await startStrictProvider();
    const settings = { apiKey: 'a-key', baseUrl: provider.url };
    const { location } = await createDatabase();
    const overrides = { providers: { openai: settings, anthropic: settings }, database: location };
    const first = await startService(overrides);
    services = POSTGRES_URL ? [first, await startService(overrides)] : [first];
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    await provider.close();
  });

  it(`is not refused within ${TURNS} turns, whatever happened in earlier ones`, async () => {
    const [first] = services as [TestService];
    const config = { model: modelOf(dialect), clientTools: [LOOKUP], reasoningEffort: 'high' as const };
    const { id } = await makeDeployment(first, config, { kind: 'agent' });
    const send = (index: number, body: object): Promise<HttpResponse> => {
      const service = services[index % services.length] as TestService;
      const sent = { client_capabilities: ['lookup'], ...body };
      return service.send('POST', `/v2/runner/${id}/conversation`, { body: sent });
    };
    const talk: Talk = { dialect, first, provider, send };
    let conversation: Conversation = {};
    for (let turn = 0; turn < TURNS; turn += 1) conversation = await takeTurn(talk, conversation, turn);
    await expectSealed(first);
    // Some 80 requests, on machines that run other tests at the same time.
  }, 400_000);
});

interface Talk {
  readonly dialect: Dialect;
  readonly first: TestService;
  readonly provider: StrictProvider;
  /** Sends to the process of this index. */
  readonly send: (index: number, body: object) => Promise<HttpResponse>;
}

async function takeTurn(talk: Talk, conversation: Conversation, turn: number): Promise<Conversation> {
  const { dialect, first, provider, send } = talk;
  const action = ACTIONS[turn % ACTIONS.length] as Action;
  const running = send(turn, { ...conversation, content: textContent(`turn ${turn} ${action}`) });
  if (action === 'hang') await provider.whenHanging(dialect).then(() => stop(first, conversation));
  const { status, body } = await running;
  expect([turn, action, status, provider.problems]).toEqual([turn, action, action === 'cut' ? 502 : 200, []]);
  const next = { conversation_id: body.conversation_id ?? body.error.conversation_id };
  if (action === 'call-stop') await stop(first, next);
  if (action === 'call' || action === 'call-cut') {
    const tool_results = [{ call_id: body.client_tool_calls[0].call_id, output: { found: turn } }];
    // Another process continues the turn.
    const { body: resumed } = await send(turn + 1, { ...next, tool_results });
    const run_status = action === 'call' ? 'completed' : 'interrupted';
    expect([turn, resumed.run_status, provider.problems]).toEqual([turn, run_status, []]);
  }
  return next;
}

/** What the provider gets back is stored, and encrypted. */
async function expectSealed({ service }: TestService): Promise<void> {
  const rows = await service.services.stores.prisma.timelineItem.findMany({ select: { sealedMemory: true } });
  const memories = rows.flatMap(({ sealedMemory }) => (sealedMemory ? [Buffer.from(sealedMemory).toString()] : []));
  expect(memories.length).toBeGreaterThan(0);
  expect(memories.join()).not.toContain(issuedFor(1));
}

async function stop(service: TestService, conversation: Conversation): Promise<void> {
  const path = `/v1/runner/conversation/${conversation.conversation_id}/stop`;
  expect((await service.send('POST', path)).status).toBe(200);
}
