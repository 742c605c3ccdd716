import { type History, readHistory, resume } from './agent-turns.ts';
import type { Client, HttpResponse } from './client.ts';
import { type DataStore, startOn } from './data-stores.ts';
import { busyMs } from './event-loop.ts';
import { startFakeProvider } from './fake-provider.ts';
import { RECOVERY_MS } from './process.ts';
import { outputOf, type Sample } from './tool-turn.ts';
import { until } from './until.ts';

/** What a restarted service made of an interrupted turn. */
export interface RecoveryResult {
  readonly sample: Sample;
  /** The response to the interrupted request, if there was one. */
  readonly response: HttpResponse | undefined;
  /** The history after its run settled, or 10 s after the restart. */
  readonly history: History;
  /** The latest run's status, and the number of items added since those known before. */
  readonly outcome: string;
  /** The response to the results of the pending call, whether they are new or a retry. */
  readonly resumed: HttpResponse | undefined;
  /** The next turn, `Continue.` */
  readonly next: HttpResponse;
  /** The history after the next turn, and the count of messages. */
  readonly last: History;
  readonly messageCount: number;
}

export async function inspectRecovery(client: Client, sample: Sample, restartedAt: number): Promise<RecoveryResult> {
  const { conversationId, tag, known } = sample;
  const history = await settled(client, conversationId, restartedAt + busyMs(RECOVERY_MS) - Date.now());
  const callId = sample.callId ?? history.pending_client_actions[0]?.call_id;
  const resumed = callId ? await resume(client, { conversationId, callId }, outputOf(tag)) : undefined;
  const next = await client.agentTurn('Continue.', { conversation_id: conversationId });
  const { body } = await client.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return {
    sample,
    response: await sample.response,
    history: history,
    outcome: `${history.run_status} +${history.items.length - known.length}`,
    resumed,
    next,
    last: await readHistory(client, conversationId),
    messageCount: body.total,
  };
}

async function settled(client: Client, conversationId: string, withinMs: number): Promise<History> {
  const read = () => readHistory(client, conversationId);
  const ended = async () => {
    const history = await read();
    return history.run_status !== 'running' && history;
  };
  return until(ended, { withinMs, everyMs: 100 }).catch(read);
}

/** A message as a provider receives it. */
export interface PromptMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** The messages that a provider receives in one more turn of each conversation, by conversation ID. */
export async function promptsOf(
  store: DataStore,
  results: readonly RecoveryResult[],
): Promise<Map<string, PromptMessage[]>> {
  const provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['Good.'] });
  const service = await startOn(store, { DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const prompts = new Map<string, PromptMessage[]>();
  for (const { sample } of results) {
    await service.agentTurn('What now?', { conversation_id: sample.conversationId, history_limit: 20 });
    // The fake provider has parsed the request of the protocol.
    prompts.set(sample.conversationId, provider.requests.at(-1)?.body.messages as PromptMessage[]);
  }
  await service.kill('SIGTERM');
  await provider.close();
  return prompts;
}
