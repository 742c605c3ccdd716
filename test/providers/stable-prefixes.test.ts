import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPAIR_REQUEST } from '../../src/domain/agent/model-port.ts';
import { connect } from '../support/actions.ts';
import { textContent } from '../support/agent-apis.ts';
import type { FakeReply, FakeRequest } from '../support/fake-provider.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { type FakeMcp, startMcp, textResult } from '../support/mcp-server.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { newPicture, uploadFile } from '../support/uploads.ts';

/** PostgreSQL returns these keys in another order, at both levels. */
const VALUE = { zone: 'north', at: [{ minutes: 5, hour: 7 }], b: { yes: true, a: null } };

const SCHEMA = {
  type: 'object',
  properties: { zone: { type: 'string' }, at: { items: {}, type: 'array' }, b: { type: 'object' } },
  description: 'Draws.',
};

/** What happens in a turn. */
const TURNS = ['say', 'pick', 'fetch', 'ext_weather', 'file', 'upload_document', 'repair', 'steps', 'draw', 'fetch'];

const say: FakeReply = { kind: 'answer', deltas: ['{"text":"Yes."}'] };
const call = (name: string, args: object = VALUE): FakeReply => ({
  kind: 'answer',
  thoughts: ['I need', ' a tool.'],
  deltas: ['One moment. '],
  calls: [{ name, arguments: JSON.stringify(args) }],
});

function repliesOf(action: string): FakeReply[] {
  if (action === 'repair') return [{ kind: 'answer', deltas: ['Not JSON'] }, say];
  if (action === 'steps') return [call('fetch'), call('fetch'), say];
  if (action === 'upload_document') return [call(action, { prompt: 'A photo, please' }), say];
  return ['say', 'file'].includes(action) ? [say] : [call(action), say];
}

let provided: ProviderService;
let api: FileServer;
let mcp: FakeMcp;
beforeAll(async () => {
  provided = await startProviderService();
  api = await startFileServer({
    '/found': (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(VALUE)),
  });
  const inputSchema = { type: 'object', properties: { zone: {}, at: {} } };
  mcp = await startMcp({
    weather: { description: 'Says it.', inputSchema, call: () => textResult('Sunny') },
    alarm: { description: 'Rings.', inputSchema, call: () => textResult('Rang') },
  });
  await connect(provided.service, { kind: 'mcp', name: 'Weather', url: mcp.url });
});
afterAll(async () => {
  await provided.close();
  await api.close();
  await mcp.close();
});

describe.each(['openai:gpt-4.1', 'openai-compatible:any', 'anthropic:claude-sonnet-4-5'])('%s', (model) => {
  it('gets requests of a conversation that begin with the request before', async () => {
    const { provider } = provided;
    const agent = await provided.agent({
      model,
      instructions: 'Help.',
      reasoningEffort: 'low',
      historyLimit: 20,
      maxSteps: 2,
      outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      clientTools: [
        { name: 'upload_document', availability: 'always' },
        { name: 'pick', description: 'Picks.', availability: 'always' },
      ],
      httpActions: [{ name: 'fetch', description: 'Fetches.', url: `${api.url}/found`, inputSchema: SCHEMA }],
      mcpServers: [{ name: 'ext', integration: 'Weather' }],
      allowConversationCompletion: true,
    });
    const start = provider.requests.length;
    let conversation = {};
    for (const action of [...TURNS, 'repair', 'say']) conversation = await takeTurn(agent, conversation, action);
    const requests = provider.requests.slice(start);
    expect(requests).toHaveLength(22);
    expectStable(requests);
  });
});

async function takeTurn(agent: string, conversation: object, action: string): Promise<object> {
  const { service, provider } = provided;
  provider.reply(...repliesOf(action));
  const files = action === 'file' ? await newFiles() : [];
  const client_capabilities = [{ name: 'draw', input_schema: SCHEMA }];
  const content = [...textContent(`Please ${action}.`), ...files];
  const { status, body } = await provided.turn(agent, { ...conversation, content, client_capabilities });
  expect([action, status]).toEqual([action, 200]);
  const next = { conversation_id: body.conversation_id };
  const [pending] = body.client_tool_calls ?? [];
  if (!pending) return next;
  const output =
    pending.name === 'upload_document'
      ? { content: [(await uploadFile(service, { bytes: newPicture() })).part] }
      : VALUE;
  const resumed = await provided.turn(agent, { ...next, tool_results: [{ call_id: pending.call_id, output }] });
  expect([action, resumed.status, resumed.body.content]).toEqual([action, 200, { text: 'Yes.' }]);
  return next;
}

async function newFiles() {
  const picture = await uploadFile(provided.service, { bytes: newPicture() });
  const words = { bytes: Buffer.from('The word is plum.'), mime_type: 'text/plain', name: 'words.txt' };
  return [picture.part, (await uploadFile(provided.service, words)).part];
}

/** The bytes at the beginning of the prompt: providers read the tools first. */
const toolsOf = ({ body }: FakeRequest) => JSON.stringify([body.tools, body.system]);

const messagesOf = ({ body }: FakeRequest) => JSON.stringify(body.messages).slice(0, -1);

/**
 * The exception: no later request begins with the request to repair a reply, because the conversation keeps only the
 * repaired reply. So the request before it is the beginning of the request after it.
 */
function expectStable(requests: readonly FakeRequest[]): void {
  let last = requests[0] as FakeRequest;
  expect(JSON.parse(toolsOf(last))[0]).toHaveLength(7);
  for (const [index, request] of requests.entries()) {
    expect([index, toolsOf(request)]).toEqual([index, toolsOf(last)]);
    const begins = messagesOf(request).startsWith(messagesOf(last));
    expect([index, begins ? 'stable' : `${messagesOf(last)}\n${messagesOf(request)}`]).toEqual([index, 'stable']);
    if (!JSON.stringify((request.body.messages as unknown[]).at(-1)).includes(REPAIR_REQUEST)) last = request;
  }
}
