import { setTimeout as pause } from 'node:timers/promises';
import { text } from '../../../test/support/doors.ts';
import { until } from '../../../test/support/until.ts';
import { newKey, type Told } from '../caller.ts';
import type { Move } from '../stage.ts';
import { type Known, noteReply } from './conversation.ts';

/** Messages that come while a turn is running, one after another, each to another process: they wait in their order. */
export async function waitingMessages(move: Move): Promise<void> {
  const { random, deployments } = move;
  const known = await begin(move, deployments.enqueue);
  if (!known) return;
  const count = 3 + random.index(4);
  const sent: Promise<Told>[] = [];
  const tags: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const tag = move.tag.replace(/#$/, `.${number}#`);
    const words = number === 0 ? `/slow 1.2\n/say done ${tag}` : `/say done ${tag}`;
    sent.push(say(move, known, words, tag));
    if (!(await hasCome(move, known, tag))) break;
    tags.push(tag);
  }
  await Promise.all(sent);
  if (move.database) move.journal.queues.push({ conversationId: known.id, tags });
}

/** A message that stops the turn before it. */
export async function interruptions(move: Move): Promise<void> {
  const { random, deployments } = move;
  const known = await begin(move, deployments.interrupt);
  if (!known) return;
  const [stopped, next] = ['.0#', '.1#'].map((end) => move.tag.replace(/#$/, end)) as [string, string];
  const first = say(move, known, `/slow 8\n/say done ${stopped}`, stopped);
  if (await hasCome(move, known, stopped)) {
    await say(move, known, `/say done ${next}`, next);
    await pause(random.between(0, 200));
  }
  await first;
}

async function begin(move: Move, deploymentId: string): Promise<Known | undefined> {
  const { caller, random, journal } = move;
  const call = {
    kind: 'v2 turn',
    method: 'POST',
    path: `/v2/runner/${deploymentId}/conversation`,
    body: { content: text(`Hello ${move.tag}`) },
    mayBe: ['model_error'],
    idempotencyKey: newKey(),
  } as const;
  const { answer, attempts } = await caller.sure(call, random);
  const id = answer?.body.conversation_id ?? answer?.body.error?.conversation_id;
  if (!answer || !id) return undefined;
  journal.conversations.set(id, deploymentId);
  journal.turns.push({ tag: move.tag, fate: 'accepted', conversationId: id, attempts });
  return { id, deploymentId, completed: false, uncertain: false };
}

/** Sent once: a message that is sent again stands further behind. */
async function say(move: Move, known: Known, words: string, tag: string): Promise<Told> {
  const { caller, random, journal } = move;
  const call = {
    kind: 'message while a turn runs',
    method: 'POST',
    path: `/v2/runner/${known.deploymentId}/conversation`,
    body: { content: text(words), conversation_id: known.id },
    mayBe: ['model_error'],
  } as const;
  const answer = await caller.once(call, random.index(3));
  const isKept = answer?.status === 200 || answer?.status === 502;
  const fate = isKept ? 'accepted' : answer ? 'refused' : 'lost';
  journal.turns.push({ tag, fate, conversationId: known.id, attempts: 1 });
  if (answer) noteReply(journal, known, answer);
  return answer;
}

/**
 * Whether a message has come: it is in the timeline, or waits for its turn, which the API does not tell. On the embedded
 * database a while has to do.
 */
async function hasCome({ database, random }: Move, { id }: Known, tag: string): Promise<boolean> {
  if (!database) {
    await pause(random.between(150, 400));
    return true;
  }
  const seen = async () => {
    const { rows } = await database.query(
      `SELECT content FROM timeline_item WHERE conversation_id = $1 AND role = 'user' AND content::text LIKE $2
       UNION ALL SELECT content FROM queued_turn WHERE conversation_id = $1 AND content::text LIKE $2`,
      [id, `%${tag}%`],
    );
    return rows.length > 0;
  };
  return until(seen, { withinMs: 2_500, everyMs: 30 }).catch(() => false);
}
