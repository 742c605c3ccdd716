import { setTimeout as pause } from 'node:timers/promises';
import { textContent } from '../../../test/support/agent-apis.ts';
import { until } from '../../../test/support/until.ts';
import { type MaybeResponse, newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import { type KnownConversation, recordReply } from './conversation.ts';

/** Messages during a running turn, one after another at different processes. They are queued in their order. */
export async function queuedMessages(action: Action): Promise<void> {
  const { random, deployments } = action;
  const known = await startConversation(action, deployments.enqueue);
  if (!known) return;
  const count = 3 + random.index(4);
  const sent: Promise<MaybeResponse>[] = [];
  const tags: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const tag = action.tag.replace(/#$/, `.${number}#`);
    const text = number === 0 ? `/slow 1.2\n/say done ${tag}` : `/say done ${tag}`;
    sent.push(sendMessage(action, known, text, tag));
    if (!(await hasArrived(action, known, tag))) break;
    tags.push(tag);
  }
  await Promise.all(sent);
  if (action.database) action.journal.queues.push({ conversationId: known.id, tags });
}

/** A message that interrupts the running turn. */
export async function interruptions(action: Action): Promise<void> {
  const { random, deployments } = action;
  const known = await startConversation(action, deployments.interrupt);
  if (!known) return;
  const [stopped, next] = ['.0#', '.1#'].map((end) => action.tag.replace(/#$/, end)) as [string, string];
  const first = sendMessage(action, known, `/slow 8\n/say done ${stopped}`, stopped);
  if (await hasArrived(action, known, stopped)) {
    await sendMessage(action, known, `/say done ${next}`, next);
    await pause(random.between(0, 200));
  }
  await first;
}

export async function startConversation(action: Action, deploymentId: string): Promise<KnownConversation | undefined> {
  const { caller, random, journal } = action;
  const call = {
    kind: 'v2 turn',
    method: 'POST',
    path: `/v2/runner/${deploymentId}/conversation`,
    body: { content: textContent(`Hello ${action.tag}`) },
    expectedCodes: ['model_error'],
    idempotencyKey: newKey(),
  } as const;
  const { response, attempts } = await caller.sendUntilResponse(call, random);
  const id = response?.body.conversation_id ?? response?.body.error?.conversation_id;
  if (!response || !id) return undefined;
  journal.conversations.set(id, deploymentId);
  journal.turns.push({ tag: action.tag, outcome: 'accepted', conversationId: id, attempts });
  return { id, deploymentId, completed: false, uncertain: false };
}

/** Sent once, because a retried message moves to the end of the queue. */
export async function sendMessage(
  action: Action,
  known: KnownConversation,
  text: string,
  tag: string,
): Promise<MaybeResponse> {
  const { caller, random, journal } = action;
  const call = {
    kind: 'message while a turn runs',
    method: 'POST',
    path: `/v2/runner/${known.deploymentId}/conversation`,
    body: { content: textContent(text), conversation_id: known.id },
    expectedCodes: ['model_error'],
  } as const;
  const response = await caller.sendOnce(call, random.index(3));
  const isStored = response?.status === 200 || response?.status === 502;
  const fate = isStored ? 'accepted' : response ? 'rejected' : 'lost';
  journal.turns.push({ tag, outcome: fate, conversationId: known.id, attempts: 1 });
  if (response) recordReply(journal, known, response);
  return response;
}

/**
 * Whether a message has arrived: it is in the timeline or in the queue, which the API does not show. On the embedded
 * database the function waits for a while instead.
 */
async function hasArrived({ database, random }: Action, { id }: KnownConversation, tag: string): Promise<boolean> {
  if (!database) {
    await pause(random.between(150, 400));
    return true;
  }
  const received = async () => {
    const { rows } = await database.query(
      `SELECT content FROM timeline_item WHERE conversation_id = $1 AND role = 'user' AND content::text LIKE $2
       UNION ALL SELECT content FROM queued_turn WHERE conversation_id = $1 AND content::text LIKE $2`,
      [id, `%${tag}%`],
    );
    return rows.length > 0;
  };
  return until(received, { withinMs: 2_500, everyMs: 30 }).catch(() => false);
}
