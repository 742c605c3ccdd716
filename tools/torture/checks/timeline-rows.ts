import type { Journal } from '../journal.ts';
import { tagIn } from '../stage.ts';
import { type Ask, checkNone } from './rows.ts';

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Its run has failed. */
  readonly failed: boolean;
}

/** Messages: what was acknowledged is there, once; what was refused is not; what was lost is there once or not at all. */
export async function checkTimelines(journal: Journal, ask: Ask): Promise<void> {
  const messages = await ask<MessageRow>(
    `SELECT i.id, i.conversation_id, i.run_id, i.role::text AS role, i.content->0->>'text' AS text,
            r.status = 'failed' AS failed
     FROM timeline_item i JOIN run r ON r.id = i.run_id WHERE i.kind = 'message' ORDER BY i.id`,
  );
  const said = byTag(messages.filter(({ role }) => role === 'user'));
  const replies = grouped(messages);
  checkTurns(journal, said);
  checkReplies(journal, replies);
  checkStreams(journal, messages);
  checkQueues(journal, said);
  await checkOutputs(journal, ask);
  await checkShape(journal, ask);
}

function byTag(messages: readonly MessageRow[]): Map<string, MessageRow[]> {
  const found = new Map<string, MessageRow[]>();
  for (const message of messages) {
    const tag = tagIn(message.text) ?? '';
    found.set(tag, [...(found.get(tag) ?? []), message]);
  }
  return found;
}

/** How often a conversation's assistant has said a text. */
function grouped(messages: readonly MessageRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { conversation_id, role, text } of messages) {
    const key = `${conversation_id} ${text}`;
    if (role === 'assistant') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** A turn that failed (5xx) is not kept under its key: where that answer was lost, the next attempt is a new turn. */
function checkTurns(journal: Journal, said: ReadonlyMap<string, readonly MessageRow[]>): void {
  for (const { tag, fate, conversationId, attempts } of journal.turns) {
    const found = said.get(tag) ?? [];
    const where = () => `${tag} in ${conversationId}, sent ${attempts} times: ${JSON.stringify(found)}`;
    const atMostOnce = found.filter(({ failed }) => !failed).length <= 1 && found.length <= attempts;
    if (fate === 'accepted') {
      const there = found.filter((one) => !conversationId || one.conversation_id === conversationId);
      const isThere = there.length === 1 || (there.length > 1 && attempts > 1);
      journal.check('an acknowledged message is stored once', isThere && atMostOnce, where);
    } else if (fate === 'refused') {
      const isNot = found.every(({ failed }) => failed && attempts > 1);
      journal.check('a refused message is not stored', isNot, where);
    } else journal.check('a lost message is stored once or not at all', atMostOnce, where);
  }
}

function checkReplies(journal: Journal, replies: ReadonlyMap<string, number>): void {
  for (const { conversationId, text } of journal.replies) {
    const count = replies.get(`${conversationId} ${text}`) ?? 0;
    journal.check('an acknowledged reply is stored once', count === 1, () => `${conversationId}: ${count} × ${text}`);
  }
}

function checkStreams(journal: Journal, messages: readonly MessageRow[]): void {
  const written = new Map(messages.flatMap(({ run_id, role, text }) => (role === 'assistant' ? [[run_id, text]] : [])));
  for (const { runId, whole, read } of journal.streams) {
    const text = written.get(runId);
    // A process that died keeps nothing of a reply.
    const holds = text === undefined || (whole.startsWith(text) && text.startsWith(read));
    journal.check('what was written of a stream that was left is kept', holds, () => `${runId}: ${text} / ${read}`);
  }
}

function checkQueues(journal: Journal, said: ReadonlyMap<string, readonly MessageRow[]>): void {
  for (const { conversationId, tags } of journal.queues) {
    const ids = tags.flatMap((tag) => (said.get(tag) ?? []).map(({ id }) => BigInt(id)));
    const inOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0n));
    journal.check('messages that wait are taken in their order', inOrder, () => `${conversationId}: ${tags} ${ids}`);
  }
}

async function checkOutputs(journal: Journal, ask: Ask): Promise<void> {
  const rows = await ask<{ call_id: string; conversation_id: string; output: object | null }>(
    "SELECT call_id, conversation_id, output FROM timeline_item WHERE kind = 'client_tool'",
  );
  const stored = new Map(rows.map(({ call_id, conversation_id, output }) => [`${conversation_id} ${call_id}`, output]));
  for (const { conversationId, outputs } of journal.rounds) {
    for (const [callId, output] of outputs) {
      const found = stored.get(`${conversationId} ${callId}`);
      journal.check('an accepted result is stored', sorted(found) === sorted(output), () => {
        return `${callId} in ${conversationId}: ${JSON.stringify(found)}, and not ${JSON.stringify(output)}`;
      });
    }
  }
}

/** As JSON; the database has an order of keys of its own. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}

async function checkShape(journal: Journal, ask: Ask): Promise<void> {
  await checkNone(
    journal,
    ask,
    'a conversation counts its messages',
    `SELECT c.id, c.message_count FROM conversation c WHERE c.message_count <>
       (SELECT count(*) FROM timeline_item i WHERE i.conversation_id = c.id AND i.kind = 'message')`,
  );
  // A message that was kept for a process that had died stands wherever the conversation was at that moment.
  await checkNone(
    journal,
    ask,
    'turns follow each other in the timeline, in the order of its ids',
    `WITH item AS (
       SELECT i.id, i.conversation_id, i.run_id,
              lag(i.run_id) OVER (PARTITION BY i.conversation_id ORDER BY i.id) IS DISTINCT FROM i.run_id AS begins
       FROM timeline_item i JOIN run r ON r.id = i.run_id WHERE r.error_code IS DISTINCT FROM 'process_lost'
     ) SELECT conversation_id, run_id FROM item WHERE begins GROUP BY 1, 2 HAVING count(*) > 1`,
  );
  await checkNone(
    journal,
    ask,
    'nothing of a turn that has ended is still open',
    `SELECT i.id, i.status, r.status AS run FROM timeline_item i JOIN run r ON r.id = i.run_id
     WHERE (i.status = 'running' AND r.status <> 'running')
        OR (i.status = 'pending' AND r.status <> 'waiting_for_client_action')`,
  );
  await checkNone(
    journal,
    ask,
    'the steps of a run are in the order of its ids',
    `SELECT * FROM (SELECT conversation_id, run_id, step, lag(step) OVER (PARTITION BY run_id ORDER BY id) AS before
       FROM timeline_item) s WHERE step < before`,
  );
}
