import { type History, readHistory, resume } from './agent-turns.ts';
import type { Answer, Client } from './client.ts';
import { startFakeProvider } from './fake-provider.ts';
import { type Place, startAt } from './places.ts';
import { outputOf, type Sample } from './tool-turn.ts';
import { until } from './until.ts';

/** What a restarted service makes of a turn that was cut. */
export interface Aftermath {
  readonly sample: Sample;
  /** What the cut request was answered, if it was. */
  readonly answer: Answer | undefined;
  /** What was found once its run was settled, or 10 s after the restart. */
  readonly found: History;
  /** The latest run's status, and the items that came after those known before. */
  readonly outcome: string;
  /** The results of the pending call, sent again or for the first time. */
  readonly resumed: Answer | undefined;
  /** The next turn, `Continue.` */
  readonly next: Answer;
  /** What was found after it, and the count of messages. */
  readonly last: History;
  readonly messageCount: number;
}

export async function examine(client: Client, sample: Sample, restartedAt: number): Promise<Aftermath> {
  const { conversationId, tag, known } = sample;
  const found = await settled(client, conversationId, restartedAt + 10_000 - Date.now());
  const callId = sample.callId ?? found.pending_client_actions[0]?.call_id;
  const resumed = callId ? await resume(client, { conversationId, callId }, outputOf(tag)) : undefined;
  const next = await client.agentTurn('Continue.', { conversation_id: conversationId });
  const { body } = await client.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return {
    sample,
    answer: await sample.answer,
    found,
    outcome: `${found.run_status} +${found.items.length - known.length}`,
    resumed,
    next,
    last: await readHistory(client, conversationId),
    messageCount: body.total,
  };
}

async function settled(client: Client, conversationId: string, withinMs: number): Promise<History> {
  const read = () => readHistory(client, conversationId);
  const ended = async () => {
    const found = await read();
    return found.run_status !== 'running' && found;
  };
  return until(ended, { withinMs, everyMs: 100 }).catch(read);
}

/** A message as a provider is given it. */
export interface PromptMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** What a provider is told in one more turn of each conversation, by the conversation's id. */
export async function promptsOf(place: Place, aftermaths: readonly Aftermath[]): Promise<Map<string, PromptMessage[]>> {
  const provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['Good.'] });
  const service = await startAt(place, { DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const prompts = new Map<string, PromptMessage[]>();
  for (const { sample } of aftermaths) {
    await service.agentTurn('What now?', { conversation_id: sample.conversationId, history_limit: 20 });
    // The provider's request is the protocol's, as the fake provider has parsed it.
    prompts.set(sample.conversationId, provider.requests.at(-1)?.body.messages as PromptMessage[]);
  }
  await service.kill('SIGTERM');
  await provider.close();
  return prompts;
}
