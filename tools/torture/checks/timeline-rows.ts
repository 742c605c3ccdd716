import { tagIn } from '../context.ts';
import type { Journal } from '../journal.ts';
import { checkNoRows, IS_OF_TURN, IS_OWN, NEVER_HANDED_OVER, type Query } from './query.ts';

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly failed: boolean;
  readonly replaced: boolean;
}

/** Messages: an acknowledged one is stored once, a rejected one is not stored, a lost one is stored at most once. */
export async function checkTimelines(journal: Journal, send: Query): Promise<void> {
  const messages = await send<MessageRow>(
    `SELECT i.id, i.conversation_id, i.run_id, i.role::text AS role, i.content->0->>'text' AS text,
            r.status = 'failed' AS failed, i.superseded_by IS NOT NULL AS replaced
     FROM timeline_item i JOIN run r ON r.id = i.run_id WHERE i.kind = 'message' AND ${IS_OWN} ORDER BY i.id`,
  );
  const userMessages = byTag(messages.filter(({ role }) => role === 'user'));
  const replies = grouped(messages);
  checkTurns(journal, userMessages);
  checkReplies(journal, replies);
  checkStreams(journal, messages);
  checkQueues(journal, userMessages);
  checkSenders(journal, byTag(messages));
  await checkOutputs(journal, send);
  await checkShape(journal, send);
}

function byTag(messages: readonly MessageRow[]): Map<string, MessageRow[]> {
  const match = new Map<string, MessageRow[]>();
  for (const message of messages) {
    const tag = tagIn(message.text) ?? '';
    match.set(tag, [...(match.get(tag) ?? []), message]);
  }
  return match;
}

/** The number of occurrences of each assistant text in a conversation. A turn that ran again has its reply once more. */
function grouped(messages: readonly MessageRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  const replies = messages.filter(({ role }) => role === 'assistant');
  const keyOf = ({ conversation_id, text }: MessageRow) => `${conversation_id} ${text}`;
  for (const reply of replies.filter(({ replaced }) => !replaced)) {
    counts.set(keyOf(reply), (counts.get(keyOf(reply)) ?? 0) + 1);
  }
  for (const reply of replies) counts.set(keyOf(reply), counts.get(keyOf(reply)) ?? 1);
  return counts;
}

/** A failed turn (5xx) is not stored with its key. If its response was lost, the next attempt is a new turn. */
function checkTurns(journal: Journal, userMessages: ReadonlyMap<string, readonly MessageRow[]>): void {
  for (const { tag, outcome: fate, conversationId, attempts } of journal.turns) {
    const match = userMessages.get(tag) ?? [];
    const where = () => `${tag} in ${conversationId}, sent ${attempts} times: ${JSON.stringify(match)}`;
    const atMostOnce = match.filter(({ failed }) => !failed).length <= 1 && match.length <= attempts;
    if (fate === 'accepted') {
      const inConversation = match.filter((one) => !conversationId || one.conversation_id === conversationId);
      const isStored = inConversation.length === 1 || (inConversation.length > 1 && attempts > 1);
      journal.check('an acknowledged message is stored once', isStored && atMostOnce, where);
    } else if (fate === 'rejected') {
      const isMissing = match.every(({ failed }) => failed && attempts > 1);
      journal.check('a rejected message is not stored', isMissing, where);
    } else journal.check('a lost message is stored at most once', atMostOnce, where);
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
    // A process that died stores nothing of a reply.
    const holds = text === undefined || (whole.startsWith(text) && text.startsWith(read));
    journal.check('an abandoned stream keeps the text that was sent', holds, () => `${runId}: ${text} / ${read}`);
  }
}

function checkQueues(journal: Journal, userMessages: ReadonlyMap<string, readonly MessageRow[]>): void {
  for (const { conversationId, tags } of journal.queues) {
    const ids = tags.flatMap((tag) => (userMessages.get(tag) ?? []).map(({ id }) => BigInt(id)));
    const inOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0n));
    journal.check('queued messages run in their order', inOrder, () => `${conversationId}: ${tags} ${ids}`);
  }
}

/** What users and members wrote while conversations were handed over and back. */
function checkSenders(journal: Journal, byTag: ReadonlyMap<string, readonly MessageRow[]>): void {
  for (const { tag, outcome, conversationId } of journal.memberMessages) {
    const count = (byTag.get(tag) ?? []).filter(({ role }) => role === 'assistant').length;
    const holds = outcome === 'lost' ? count <= 1 : count === Number(outcome === 'accepted');
    const name = `a message of a member is stored once if it is acknowledged, and never if it is rejected`;
    journal.check(name, holds, () => `${tag} in ${conversationId}, ${outcome}: ${count} times`);
  }
  for (const { conversationId, tags } of journal.senders) {
    const ids = tags.flatMap((tag) => (byTag.get(tag) ?? []).slice(0, 1).map(({ id }) => BigInt(id)));
    const inOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0n));
    const name = 'messages of a sender are stored in the order of their acknowledgement';
    journal.check(name, inOrder, () => `${conversationId}: ${tags} ${ids}`);
  }
}

async function checkOutputs(journal: Journal, send: Query): Promise<void> {
  const rows = await send<{ call_id: string; conversation_id: string; output: object | null }>(
    "SELECT call_id, conversation_id, output FROM timeline_item WHERE kind = 'client_tool'",
  );
  const stored = new Map(rows.map(({ call_id, conversation_id, output }) => [`${conversation_id} ${call_id}`, output]));
  for (const { conversationId, outputs } of journal.rounds) {
    for (const [callId, output] of outputs) {
      const match = stored.get(`${conversationId} ${callId}`);
      journal.check('an accepted result is stored', sorted(match) === sorted(output), () => {
        return `${callId} in ${conversationId}: ${JSON.stringify(match)}instead of ${JSON.stringify(output)}`;
      });
    }
  }
}

/** JSON with sorted keys, because the database has its own key order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}

/** One line of each conversation is active. What an item of it needs is active too. */
async function checkLines(journal: Journal, send: Query): Promise<void> {
  await checkNoRows(
    journal,
    send,
    'an active item has the active message that it answers',
    `SELECT i.id, i.conversation_id FROM timeline_item i
     WHERE i.superseded_by IS NULL AND i.kind NOT IN ('summary', 'conversation_completed') AND ${IS_OF_TURN} AND NOT EXISTS (
       SELECT FROM timeline_item m WHERE m.run_id = i.run_id AND m.role = 'user' AND m.superseded_by IS NULL)`,
  );
  await checkNoRows(
    journal,
    send,
    'one message of a place is active at most',
    `SELECT variant_of, count(*) FROM timeline_item WHERE variant_of IS NOT NULL AND superseded_by IS NULL
     GROUP BY 1 HAVING count(*) > 1`,
  );
  await checkNoRows(
    journal,
    send,
    'a replaced item names a message of its conversation',
    `SELECT i.id FROM timeline_item i WHERE i.superseded_by IS NOT NULL AND NOT EXISTS (
       SELECT FROM timeline_item m WHERE m.id = i.superseded_by AND m.conversation_id = i.conversation_id AND m.role = 'user')`,
  );
  await checkNoRows(
    journal,
    send,
    'the active line ends with the latest run',
    `SELECT c.id, c.latest_run_id FROM conversation c CROSS JOIN LATERAL (
       SELECT run_id FROM timeline_item i WHERE i.conversation_id = c.id AND i.superseded_by IS NULL AND i.kind <> 'summary'
       ORDER BY i.id DESC LIMIT 1) AS last
     JOIN run r ON r.id = last.run_id
     WHERE last.run_id <> c.latest_run_id AND ${NEVER_HANDED_OVER.replace('i.conversation_id', 'c.id')} AND r.error_code IS DISTINCT FROM 'process_lost'`,
  );
}

async function checkShape(journal: Journal, send: Query): Promise<void> {
  await checkLines(journal, send);
  await checkNoRows(
    journal,
    send,
    'a conversation counts its messages',
    `SELECT c.id, c.message_count FROM conversation c WHERE c.message_count <>
       (SELECT count(*) FROM timeline_item i WHERE i.conversation_id = c.id AND i.kind = 'message' AND i.superseded_by IS NULL)`,
  );
  // A message stored for a process that died can be anywhere in the conversation.
  await checkNoRows(
    journal,
    send,
    'turns do not overlap in the timeline',
    `WITH item AS (
       SELECT i.id, i.conversation_id, i.run_id,
              lag(i.run_id) OVER (PARTITION BY i.conversation_id ORDER BY i.id) IS DISTINCT FROM i.run_id AS begins
       FROM timeline_item i JOIN run r ON r.id = i.run_id WHERE r.error_code IS DISTINCT FROM 'process_lost' AND i.superseded_by IS NULL
         AND ${NEVER_HANDED_OVER}
     ) SELECT conversation_id, run_id FROM item WHERE begins GROUP BY 1, 2 HAVING count(*) > 1`,
  );
  await checkNoRows(
    journal,
    send,
    'a finished turn has no open items',
    `SELECT i.id, i.status, r.status AS run FROM timeline_item i JOIN run r ON r.id = i.run_id
     WHERE (i.status = 'running' AND r.status <> 'running')
        OR (i.status = 'pending' AND r.status <> 'waiting_for_client_action')`,
  );
  await checkNoRows(
    journal,
    send,
    'the steps of a run are in the order of their IDs',
    `SELECT * FROM (SELECT conversation_id, run_id, step, lag(step) OVER (PARTITION BY run_id ORDER BY id) AS before
       FROM timeline_item i WHERE ${IS_OF_TURN}) s WHERE step < before`,
  );
}
