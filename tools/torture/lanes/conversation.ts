import type { Answer } from '../../../test/support/client.ts';
import { text } from '../../../test/support/doors.ts';
import { until } from '../../../test/support/until.ts';
import { type Call, newKey } from '../caller.ts';
import type { Journal } from '../journal.ts';
import type { Move } from '../stage.ts';
import type { Script } from './scripts.ts';

/** A conversation as its client knows it. */
export interface Known {
  readonly id: string;
  readonly deploymentId: string;
  completed: boolean;
  /** A request was lost: what is going on in it has to be read first. */
  uncertain: boolean;
}

/** What a turn came to, where anybody knows. */
export interface Outcome {
  readonly answer: Answer | undefined;
  readonly conversation: Known | undefined;
}

/** The tools that a client has with it. */
const CAPABLE = {
  client_capabilities: [
    'ask_user',
    { name: 'lookup_customer', input_schema: { type: 'object', properties: { customer_id: { type: 'string' } } } },
  ],
};

/** What a conversation answers whose state is not known. */
const BUSY = ['run_in_progress', 'client_action_required', 'conversation_completed'];

/** A turn of a conversation, or one that starts it; under a key it is sent until it is answered. */
export async function takeTurn(
  move: Move,
  version: 'v1' | 'v2',
  deploymentId: string,
  script: Script,
  conversation: Known | undefined,
): Promise<Outcome> {
  const { random, caller } = move;
  const body = {
    content: text(script.text),
    ...(conversation && { conversation_id: conversation.id }),
    ...(version === 'v2' && CAPABLE),
  };
  const call: Call = {
    kind: `${version} turn`,
    method: 'POST',
    path: `/${version}/runner/${deploymentId}/conversation`,
    body,
    // A process that is lost takes its turn with it, which is told as the model's failure.
    mayBe: [
      'model_error',
      ...(conversation?.completed ? ['conversation_completed'] : []),
      ...(conversation?.uncertain ? BUSY : []),
    ],
    idempotencyKey: random.chance(0.6) ? newKey() : undefined,
  };
  const { answer, attempts } = await caller.asMayBe(call, random);
  return { answer, conversation: noted(move, deploymentId, { before: conversation, script, answer, attempts }) };
}

interface Sent {
  readonly before: Known | undefined;
  readonly script: Script;
  readonly answer: Answer | undefined;
  readonly attempts: number;
}

/** Writes down what the client was told. */
function noted({ journal, tag }: Move, deploymentId: string, sent: Sent): Known | undefined {
  const { before, script, answer, attempts } = sent;
  const id: string | undefined = before?.id ?? answer?.body?.conversation_id ?? answer?.body?.error?.conversation_id;
  const known = before ?? (id ? { id, deploymentId, completed: false, uncertain: false } : undefined);
  if (known) {
    journal.conversations.set(known.id, deploymentId);
    known.uncertain = answer === undefined || (known.uncertain && answer.status !== 200);
  }
  if (script.makes && answer?.status !== 409) journal.maybeResources.push(script.makes);
  const isKept = answer !== undefined && (answer.status === 200 || answer.status === 502);
  const fate = isKept ? 'accepted' : answer ? 'refused' : 'lost';
  journal.turns.push({ tag, fate, conversationId: id, attempts });
  if (known && answer) noteReply(journal, known, answer);
  return known;
}

/** Writes down a reply, and whether it was the last one of its conversation. */
export function noteReply(journal: Journal, known: Known, { status, body }: Answer): void {
  if (status !== 200 || typeof body.content !== 'string') return;
  if (body.content !== '') journal.replies.push({ conversationId: known.id, text: body.content });
  if ((body.conversation_status ?? body.status) === 'completed') known.completed = true;
}

/** State of a conversation as its history tells it. */
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

/** Reads until it is answered. Undefined where it is not there. */
export async function readState({ caller, random }: Move, { id, deploymentId }: Known): Promise<State | undefined> {
  const path = `/v2/runner/${deploymentId}/conversation/${id}/history?limit=100`;
  const { answer } = await caller.sure({ kind: 'read of history', method: 'GET', path }, random);
  return answer?.status === 200 ? answer.body : undefined;
}

/** Waits until nothing runs in it: a run whose process died is settled within seconds, any other one is short. */
export async function settle(move: Move, known: Known): Promise<State | undefined> {
  const read = async () => {
    const state = await readState(move, known);
    return state && state.run_status !== 'running' && state;
  };
  const state = await until(read, { withinMs: 30_000, everyMs: 250 }).catch(() => undefined);
  move.journal.check('no run stays running for long', state !== undefined, () => `conversation ${known.id}`);
  known.uncertain = false;
  if (state) known.completed = state.conversation_status === 'completed';
  return state;
}
