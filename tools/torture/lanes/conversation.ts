import { textContent } from '../../../test/support/agent-apis.ts';
import type { HttpResponse } from '../../../test/support/client.ts';
import { until } from '../../../test/support/until.ts';
import { type Call, newKey } from '../caller.ts';
import { type Action, longestTurnMs } from '../context.ts';
import type { Journal } from '../journal.ts';
import type { Script } from './scripts.ts';

/** Longer than the load and a turn after it. */
const LONGEST_MS = 400_000;

/** A conversation in the view of its client. */
export interface KnownConversation {
  readonly id: string;
  readonly deploymentId: string;
  completed: boolean;
  /** A request was lost, so the client must read the state first. */
  uncertain: boolean;
}

/** The outcome of a turn, if it is known. */
export interface Outcome {
  readonly response: HttpResponse | undefined;
  readonly conversation: KnownConversation | undefined;
}

/** The client tools. */
const CAPABLE = {
  client_capabilities: [
    'ask_user',
    { name: 'lookup_customer', input_schema: { type: 'object', properties: { customer_id: { type: 'string' } } } },
  ],
};

/** The possible errors of a conversation in an unknown state. */
const BUSY = ['run_in_progress', 'client_action_required', 'conversation_completed'];

/** Runs a turn of a new or an existing conversation. With a key it retries until it has a response. */
export async function takeTurn(
  action: Action,
  version: 'v1' | 'v2',
  deploymentId: string,
  script: Script,
  conversation: KnownConversation | undefined,
): Promise<Outcome> {
  const { random, caller } = action;
  const body = {
    content: textContent(script.text),
    ...(conversation && { conversation_id: conversation.id }),
    ...(version === 'v2' && CAPABLE),
  };
  const call: Call = {
    kind: `${version} turn`,
    method: 'POST',
    path: `/${version}/runner/${deploymentId}/conversation`,
    body,
    // A process that dies loses its turn, which is reported as a model error.
    expectedCodes: [
      'model_error',
      ...(conversation?.completed ? ['conversation_completed'] : []),
      ...(conversation?.uncertain ? BUSY : []),
    ],
    idempotencyKey: random.chance(0.6) ? newKey() : undefined,
  };
  const { response, attempts } = await caller.sendRetryingIfKeyed(call, random);
  return {
    response: response,
    conversation: recordTurn(action, deploymentId, { before: conversation, script, response: response, attempts }),
  };
}

interface Sent {
  readonly before: KnownConversation | undefined;
  readonly script: Script;
  readonly response: HttpResponse | undefined;
  readonly attempts: number;
}

/** Records the client's knowledge. */
function recordTurn({ journal, tag }: Action, deploymentId: string, sent: Sent): KnownConversation | undefined {
  const { before, script, response, attempts } = sent;
  const id: string | undefined =
    before?.id ?? response?.body?.conversation_id ?? response?.body?.error?.conversation_id;
  const known = before ?? (id ? { id, deploymentId, completed: false, uncertain: false } : undefined);
  if (known) {
    journal.conversations.set(known.id, deploymentId);
    known.uncertain = response === undefined || (known.uncertain && response.status !== 200);
  }
  if (script.makes && response?.status !== 409) journal.uncertainResources.push(script.makes);
  const isStored = response !== undefined && (response.status === 200 || response.status === 502);
  const fate = isStored ? 'accepted' : response ? 'rejected' : 'lost';
  journal.turns.push({ tag, outcome: fate, conversationId: id, attempts });
  if (known && response) recordReply(journal, known, response);
  return known;
}

/** Records a reply, and whether it completed the conversation. */
export function recordReply(journal: Journal, known: KnownConversation, { status, body }: HttpResponse): void {
  if (status !== 200 || typeof body.content !== 'string') return;
  if (body.content !== '') journal.replies.push({ conversationId: known.id, text: body.content });
  if ((body.conversation_status ?? body.status) === 'completed') known.completed = true;
}

/** The state of a conversation in its history. */
export interface State {
  readonly run_id: string;
  readonly run_status: string;
  readonly conversation_status: string;
  readonly pending_client_actions: readonly PendingCall[];
  readonly items: readonly {
    readonly id: string;
    readonly type: string;
    readonly content?: readonly { readonly text: string }[];
  }[];
}

export interface PendingCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Reads until there is a response. Undefined if the conversation does not exist. */
export async function readState(
  { caller, random }: Action,
  { id, deploymentId }: KnownConversation,
): Promise<State | undefined> {
  const path = `/v2/runner/${deploymentId}/conversation/${id}/history?limit=100`;
  const { response } = await caller.sendUntilResponse({ kind: 'read of history', method: 'GET', path }, random);
  return response?.status === 200 ? response.body : undefined;
}

/** Waits until no run is running. It may take as long as the disruptions leave no process the time to end or to take over a turn. */
export async function settle(action: Action, known: KnownConversation): Promise<State | undefined> {
  const startedAt = Date.now();
  let last: State | undefined;
  const read = async () => {
    last = await readState(action, known);
    if (last && last.run_status !== 'running') return { state: last };
    const since = Math.max(startedAt, action.fleet.lifetimes.oldestRunning ?? Date.now());
    return Date.now() - since > longestTurnMs(action) && { state: undefined };
  };
  const { state } = await until(read, { withinMs: LONGEST_MS, everyMs: 250 });
  action.journal.check(
    'no run stays running for long',
    state !== undefined,
    () => `conversation ${known.id}, last read: ${JSON.stringify(last)}`,
  );
  known.uncertain = false;
  if (state) known.completed = state.conversation_status === 'completed';
  return state;
}
