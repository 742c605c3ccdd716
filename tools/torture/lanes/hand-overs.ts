import { setTimeout as pause } from 'node:timers/promises';
import { textContent } from '../../../test/support/agent-apis.ts';
import type { HttpResponse } from '../../../test/support/client.ts';
import { type Call, type MaybeResponse, newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import { type KnownConversation, readState, recordReply, takeTurn } from './conversation.ts';
import { startConversation } from './double-texts.ts';
import { resolveRound } from './rounds.ts';

/** The errors of a message of a user while others write, and while turns run and pause. */
const BUSY = ['model_error', 'run_in_progress', 'client_action_required'];

/** How often a member tries to hand a conversation back at the end. */
const ATTEMPTS = 20;

/**
 * Members take a conversation over, write in it and hand it back while its user writes, turns run and pause, and the model asks
 * for a person. At the end the assistant has it again.
 */
export async function handOvers(action: Action): Promise<void> {
  const { random, deployments } = action;
  const known = await startConversation(action, deployments[random.pick(['agent', 'enqueue', 'interrupt'] as const)]);
  if (!known) return;
  const paused = random.chance(0.2) ? await pausedTurn(action, known) : undefined;
  await Promise.all([userMessages(action, known), memberTurns(action, known)]);
  if (paused) await resumeIfPaused(action, known);
  await finish(action, known);
}

/** A turn that waits for its client. */
async function pausedTurn(action: Action, known: KnownConversation): Promise<HttpResponse | undefined> {
  const tag = tagOf(action, 'paused');
  const text = `/call lookup_customer ${JSON.stringify({ customer_id: tag })}\n/say done ${tag}`;
  const script = { text, reply: `done ${tag}`, fails: false, completes: false, makes: undefined };
  const { response } = await takeTurn({ ...action, tag }, 'v2', known.deploymentId, script, {
    ...known,
    uncertain: true,
  });
  return response?.body?.run_status === 'waiting_for_client_action' ? response : undefined;
}

/** The action of a turn stays answerable while a person has the conversation, also after messages were stored. */
async function resumeIfPaused(action: Action, known: KnownConversation): Promise<void> {
  const state = await readState(action, known);
  const calls = state?.pending_client_actions ?? [];
  action.journal.check('an action stays answerable while a person has the conversation', calls.length > 0, () => {
    return `${known.id}: ${JSON.stringify(state)}`;
  });
  if (calls.length === 0) return;
  const response = await resolveRound(action, known, calls);
  if (response) recordReply(action.journal, known, response);
}

/** The user writes one message after another, in each way in which clients can. */
async function userMessages(action: Action, known: KnownConversation): Promise<void> {
  const { random, caller, journal } = action;
  const tags: string[] = [];
  for (let left = 2 + random.index(4); left > 0; left -= 1) {
    const tag = tagOf(action, `u${left}`);
    const call: Call = {
      kind: 'message of a user during a hand-over',
      method: 'POST',
      path: `/${random.pick(['v1', 'v2', 'v2'])}/runner/${known.deploymentId}/conversation`,
      body: { content: textContent(scriptOf(action, tag)), conversation_id: known.id },
      expectedCodes: BUSY,
      idempotencyKey: random.chance(0.6) ? newKey() : undefined,
      background: random.chance(0.3),
    };
    const { response, attempts } = await caller.sendRetryingIfKeyed(call, random);
    const isAcknowledged = response !== undefined && response.status < 300;
    const isStored = isAcknowledged || response?.status === 502;
    const outcome = isStored ? 'accepted' : response ? 'rejected' : 'lost';
    journal.turns.push({ tag, outcome, conversationId: known.id, attempts });
    if (response) recordReply(journal, known, response);
    if (isAcknowledged) tags.push(tag);
    await pause(random.between(0, 400));
  }
  journal.senders.push({ conversationId: known.id, tags });
}

function scriptOf({ random }: Action, tag: string): string {
  const say = `/say done ${tag}`;
  const scripts = {
    say: say,
    slow: `/slow ${random.between(0.2, 3).toFixed(2)}\n${say}`,
    handOver: `/call hand_over ${JSON.stringify({ reason: tag })}\n/slow 0.5\n${say}`,
  };
  return scripts[random.weighted({ say: 3, slow: 4, handOver: 2 })];
}

/** Members take the conversation over, write, and hand it back or leave. */
async function memberTurns(action: Action, known: KnownConversation): Promise<void> {
  const { random, members } = action;
  const tags: string[] = [];
  for (let left = 1 + random.index(3); left > 0; left -= 1) {
    await pause(random.between(0, 800));
    const token = random.pick(members);
    const body = {
      running: random.pick(['stop', 'wait']),
      force: random.chance(0.3),
      hold_minutes: 1 + random.index(9),
    };
    const taken = await act(action, known, 'takeover', { body, token });
    if (taken?.status !== 200) continue;
    for (let message = random.index(3); message > 0; message -= 1) {
      const tag = tagOf(action, `m${left}.${message}`);
      if (await memberMessage(action, known, { tag, token })) tags.push(tag);
    }
    await leave(action, known, token);
  }
  action.journal.senders.push({ conversationId: known.id, tags });
}

/** Whether the message was acknowledged. */
async function memberMessage(
  action: Action,
  known: KnownConversation,
  { tag, token }: { readonly tag: string; readonly token: string | undefined },
): Promise<boolean> {
  const body = { content: textContent(`I write ${tag}`) };
  const response = await act(action, known, 'member-messages', { body, token });
  const outcome = response?.status === 200 ? 'accepted' : response ? 'rejected' : 'lost';
  action.journal.memberMessages.push({ tag, outcome, conversationId: known.id });
  return outcome === 'accepted';
}

/** The member hands the conversation back, or their lease expires, or also the wait after it. */
async function leave(action: Action, known: KnownConversation, token: string | undefined): Promise<void> {
  const { random, database } = action;
  const way = random.weighted({ answer: 4, silent: 1, lease: 2, wait: 2, stay: 1 });
  if (way === 'answer' || way === 'silent') {
    await act(action, known, 'handback', { body: { answer: way === 'answer' }, token });
  } else if (way !== 'stay' && database) {
    await expire(action, known);
    if (way === 'lease') return;
    await pause(random.between(500, 2_500));
    await expire(action, known);
  }
}

/** Lets the lease of the member, or the wait for one, expire now. */
async function expire({ database }: Action, { id }: KnownConversation): Promise<void> {
  await database?.query('UPDATE conversation SET handling_until = now() WHERE id = $1 AND handling_until IS NOT NULL', [
    id,
  ]);
}

/** Hands the conversation back to the assistant, with force if another member has it. */
async function finish(action: Action, known: KnownConversation): Promise<void> {
  const { random, members, journal } = action;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const token = random.pick(members);
    // A hand-back of a conversation that the assistant has changes nothing, also after one without an answer.
    const taken = await act(action, known, 'takeover', { body: { force: true, running: 'wait' }, token });
    if (taken?.status !== 200) continue;
    const response = await act(action, known, 'handback', { body: {}, token });
    if (response?.status === 200) {
      journal.handedBack.add(known.id);
      return;
    }
  }
  journal.check('a conversation can be handed back', false, () => known.id);
}

interface Act {
  readonly body: object;
  readonly token: string | undefined;
}

/** What a member does, repeated until it has a response. */
async function act(
  { caller, random }: Action,
  { id }: KnownConversation,
  path: string,
  { body, token }: Act,
): Promise<MaybeResponse> {
  const call: Call = {
    kind: `${path} of a member`,
    method: 'POST',
    path: `/v1/conversations/${id}/${path}`,
    body,
    expectedCodes: ['handling_conflict', 'run_in_progress'],
    idempotencyKey: newKey(),
    token,
  };
  return (await caller.sendUntilResponse(call, random)).response;
}

function tagOf({ tag }: Action, part: string): string {
  return tag.replace(/#$/, `.${part}#`);
}
