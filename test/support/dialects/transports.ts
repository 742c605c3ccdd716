import { randomUUID } from 'node:crypto';
import { textContent } from '../agent-apis.ts';
import type { TestService } from '../service.ts';
import { openStream, readEvents } from '../streams.ts';
import { makeDeployment } from '../tenants.ts';
import { openTurnFeed } from '../turn-feed.ts';
import { chunksOf, userMessage } from '../ui-chat.ts';
import { requestsOf } from '../ui-requests.ts';
import type { DialectCase } from './cases.ts';
import type { DialectProvider } from './provider.ts';

/** What a client of one of the APIs sees of a turn. Undefined: this API does not have it. */
export interface Seen {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly failed: boolean;
  readonly finish?: string | undefined;
  readonly usage?: readonly [number, number] | undefined;
  /** The conversation, if the response names it. */
  readonly conversationId?: string | undefined;
}

const TOOLS = ['lookup', 'place'];
const CAPABILITIES = { client_capabilities: TOOLS };

interface Deployments {
  readonly chat: string;
  readonly agent: string;
}

/** The deployments of the models of each protocol. */
export async function dialectDeployments(service: TestService): Promise<Record<DialectCase['protocol'], Deployments>> {
  const make = async (model: string): Promise<Deployments> => {
    const clientTools = TOOLS.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
    const [chat, agent] = await Promise.all([
      makeDeployment(service, { model, reasoning: 'shown' }),
      makeDeployment(service, { model, reasoning: 'shown', clientTools }, { kind: 'agent' }),
    ]);
    return { chat: chat.id, agent: agent.id };
  };
  const [chat, messages] = await Promise.all([make('openai-compatible:any'), make('anthropic:any')]);
  return { chat, messages };
}

type Transport = (
  service: TestService,
  deployments: Deployments,
  message: string,
  provider: DialectProvider,
) => Promise<Seen>;

/** Each API that runs a turn. */
export const TRANSPORTS: Readonly<Record<'v1' | 'stream' | 'v2' | 'feed' | 'ui', Transport>> = {
  async v1(service, { chat }, message) {
    const { status, body } = await service.send('POST', `/v1/runner/${chat}/conversation`, {
      body: { content: textContent(message) },
    });
    return seenIn(status, body);
  },
  async stream(service, { chat }, message) {
    const options = { deploymentId: chat, accept: 'text/event-stream' };
    const { response } = await openStream(service, { content: textContent(message) }, options);
    const events = await readEvents(response);
    const text = events.map(({ event, data }) => (event === 'delta' ? String(data.text) : '')).join('');
    return { text, failed: events.at(-1)?.event !== 'done' };
  },
  async v2(service, { agent }, message) {
    const { status, body } = await service.send('POST', `/v2/runner/${agent}/conversation`, {
      body: { content: textContent(message), ...CAPABILITIES },
    });
    return { ...seenIn(status, body), calls: callsIn(body.client_tool_calls) };
  },
  async feed(service, { agent }, opening, provider) {
    const message = `${opening} held`;
    const { body } = await service.send('POST', `/v2/runner/${agent}/conversation`, {
      body: { content: textContent(message), ...CAPABILITIES },
      headers: { prefer: 'respond-async' },
    });
    const feed = await openTurnFeed(service, body.conversation_id, { after: body.follow_cursor });
    const seen = { text: '', reasoning: '' };
    provider.release(message);
    for (let event = await feed.next(); event; event = await feed.next()) {
      if (event.event === 'text.delta') seen.text += event.data.text;
      if (event.event === 'reasoning.delta') seen.reasoning += event.data.text;
      if (event.event !== 'turn.ended' && event.event !== 'turn.paused') continue;
      feed.close();
      const { run_status, pending_client_actions, finish_reason } = event.data;
      const calls = callsIn(pending_client_actions);
      return { ...seen, calls, failed: run_status === 'failed', finish: finish_reason ?? undefined };
    }
    throw new Error(`The feed has no end of the turn: ${JSON.stringify(seen)}`);
  },
  async ui(service, { agent }, message) {
    const body = { id: randomUUID(), messages: [userMessage(message)], trigger: 'submit-message', ...CAPABILITIES };
    const chunks = await chunksOf(await requestsOf(service).post(body, { deploymentId: agent }));
    return {
      text: chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join(''),
      reasoning: chunks.map((chunk) => (chunk.type === 'reasoning-delta' ? chunk.delta : '')).join(''),
      calls: chunks.flatMap((chunk) =>
        chunk.type === 'tool-input-available' && !chunk.providerExecuted
          ? [{ name: chunk.toolName, arguments: chunk.input }]
          : [],
      ),
      failed: chunks.some(({ type }) => type === 'error'),
    };
  },
};

// Responses are read as they are, and compared.
// biome-ignore lint/suspicious/noExplicitAny: see above
function seenIn(status: number, body: any): Seen {
  const conversationId = body.conversation_id ?? body.error?.conversation_id;
  if (status !== 200) return { text: '', failed: true, conversationId };
  const usage = body.input_tokens === undefined ? undefined : ([body.input_tokens, body.output_tokens] as const);
  return { text: body.content ?? '', failed: false, finish: body.finish_reason, usage, conversationId };
}

function callsIn(calls: readonly { readonly name: string; readonly arguments: unknown }[] | null | undefined) {
  return (calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args }));
}
