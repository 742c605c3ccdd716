import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../../../test/support/client.ts';
import type { Receiver } from '../../../test/support/receiver.ts';
import { until } from '../../../test/support/until.ts';
import type { Action, TortureContext } from '../context.ts';
import type { Follower } from '../followers.ts';
import { type KnownConversation, recordReply, settle, takeTurn } from '../lanes/conversation.ts';
import { resolveRound } from '../lanes/rounds.ts';
import { Random } from '../random.ts';
import type { Watcher } from '../watchers.ts';
import { checkNoRows, type Query } from './query.ts';

/**
 * How long work may continue after the last disruption: a lease, its recovery, and the longest turn. With
 * `continue`, the waiting messages of a conversation follow one after another.
 */
const QUIET_WITHIN_MS = 40_000;

/** The webhook claims of a dead process expire after 20 s. */
const DELIVERED_WITHIN_MS = 60_000;

/** The number of conversations that get one more turn. */
const SAMPLE = 250;

/** The number of concurrent checks. */
const WORKERS = 6;

/** The observers that ran all the time. */
export interface Observers {
  readonly followers: readonly Follower[];
  readonly receiver: Receiver;
  readonly watcher: Watcher;
}

/** Checks the service after the last disruption. */
export async function checkAfterwards(
  context: TortureContext,
  { followers, receiver, watcher }: Observers,
): Promise<void> {
  await checkQuiet(context);
  await checkHandedBack(context);
  await checkObservers(context, followers, receiver);
  await watcher.check();
  const all = await conversationsOf(context);
  const random = new Random(context.seed, 'sample');
  const waiting = all.filter(({ status }) => status === 'WAITING_FOR_CLIENT_ACTION');
  const others = all.filter((one) => !waiting.includes(one));
  while (others.length > SAMPLE) others.splice(random.index(others.length), 1);
  const remaining = [...waiting.slice(0, SAMPLE), ...others];
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      for (let one = remaining.shift(); one; one = remaining.shift()) {
        await checkConversation(actionOf(context, `#after${worker}-${remaining.length}#`), one);
      }
    }),
  );
}

function actionOf(context: TortureContext, tag: string): Action {
  return { ...context, tag, random: new Random(context.seed, tag) };
}

async function checkQuiet(context: TortureContext): Promise<void> {
  const count = `{ conversations(first: 1, filter: { runStatuses: [RUNNING] }) { totalCount } }`;
  const isQuiet = async () => {
    const { body } = await (await context.fleet.client(0)).graphql(count);
    const others = await context.database?.query(
      `SELECT run_id FROM queued_turn UNION ALL SELECT id FROM run WHERE status = 'running'
       UNION ALL SELECT id FROM conversation c WHERE owes_answer AND NOT EXISTS (
         SELECT FROM run WHERE conversation_id = c.id AND status = 'waiting_for_client_action')`,
    );
    return body.data.conversations.totalCount === 0 && (others?.rows.length ?? 0) === 0;
  };
  const withinMs = QUIET_WITHIN_MS;
  const quiet = await until(isQuiet, { withinMs, everyMs: 250 }).catch(() => false);
  const name = `no run is running or queued ${withinMs / 1_000} s after the last disruption`;
  context.journal.check(name, quiet, () => 'work continues');
}

/** Before the last turns of the checks: the assistant has all conversations again, and has answered their last messages. */
async function checkHandedBack({ journal, database }: TortureContext): Promise<void> {
  const send: Query = async <Row>(sql: string, values: unknown[] = []) =>
    ((await database?.query(sql, values))?.rows ?? []) as Row[];
  await checkNoRows(
    journal,
    send,
    'no conversation stays handed over after its deadline',
    "SELECT id, handling, handling_until FROM conversation WHERE handling_until <= now() - interval '10 s'",
  );
  const rows = await send<{ id: string }>(
    `SELECT c.id FROM conversation c CROSS JOIN LATERAL (
       SELECT i.id, i.run_id FROM timeline_item i WHERE i.conversation_id = c.id AND i.kind = 'message' AND i.role = 'user'
       ORDER BY i.id DESC LIMIT 1) asked
     JOIN run r ON r.id = asked.run_id
     WHERE c.handling = 'assistant' AND r.handled_by IS NOT NULL AND NOT EXISTS (
       SELECT FROM timeline_item i WHERE i.conversation_id = c.id AND i.id > asked.id AND i.role = 'assistant')`,
  );
  const unanswered = new Set(rows.map(({ id }) => id));
  for (const id of journal.handedBack) {
    journal.check('the last message before a final hand-back is answered', !unanswered.has(id), () => id);
  }
}

/** One last event, which every observer must receive. */
async function checkObservers({ fleet, journal }: TortureContext, followers: readonly Follower[], receiver: Receiver) {
  const client = await fleet.client(0);
  const created = await client.send('POST', '/v1/resources', { body: { type: 'last', fields: {} } });
  const resourceId: string = created.body.data.id;
  const events = await client.send('GET', `/v1/events?resourceId=${resourceId}`);
  const last: string = events.body.data[0].id;
  await Promise.all([
    ...followers.map(async (follower) => {
      const arrived = await follower.has(last, 20_000);
      journal.check('a follower reaches the end of the log', arrived, () => follower.name);
    }),
    (async () => {
      const isThere = async () => receiver.received.some(({ message }) => message.id === last);
      const arrived = await until(isThere, { withinMs: DELIVERED_WITHIN_MS }).catch(() => false);
      journal.check('the webhooks reach the end of the log', arrived, () => `${receiver.received.length} messages`);
      // The last delivery is recorded a little later.
      await pause(500);
    })(),
  ]);
  for (const { name, ids } of followers) journal.followed.set(name, ids);
  journal.followed.set('webhook', [...new Set(receiver.received.map(({ message }) => message.id))]);
}

interface Listed {
  readonly known: KnownConversation;
  readonly status: string | undefined;
}

/** All conversations, including those whose start was lost. */
async function conversationsOf({ fleet }: TortureContext): Promise<Listed[]> {
  const client = await fleet.client(0);
  const document = `query ($after: String) { conversations(first: 100, after: $after) {
    nodes { conversationId status deploymentId latestRun { status } } pageInfo { hasNextPage endCursor } } }`;
  const listed: Listed[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { body }: HttpResponse = await client.graphql(document, { after });
    const { nodes, pageInfo } = body.data.conversations;
    for (const { conversationId: id, status, deploymentId, latestRun: run } of nodes) {
      const known = { id, deploymentId, completed: status === 'COMPLETED', uncertain: false };
      listed.push({ known, status: run?.status });
    }
    after = pageInfo.endCursor;
    more = pageInfo.hasNextPage;
  }
  return listed;
}

/** Resumes every pending round. Then the conversation accepts one more turn or is completed. */
async function checkConversation(action: Action, { known }: Listed): Promise<void> {
  const { journal, tag } = action;
  for (let round = 0; round < 4; round += 1) {
    const state = await settle(action, known);
    if (!state || state.pending_client_actions.length === 0) break;
    const response = await resolveRound(action, known, state.pending_client_actions);
    if (response) recordReply(journal, known, response);
  }
  const script = { text: `After ${tag}`, reply: undefined, fails: false, completes: false, makes: undefined };
  const { response } = await takeTurn(action, 'v2', known.deploymentId, script, { ...known });
  const isRejected = known.completed && response?.body.error?.code === 'conversation_completed';
  const isAccepted = !known.completed && response?.status === 200 && response.body.content === `You said: After ${tag}`;
  // The answer to the last message can ask for a person once more.
  const isStored = response?.status === 200 && response.body.handled_by !== undefined;
  journal.check('every conversation accepts another turn or is completed', isRejected || isAccepted || isStored, () => {
    return `${known.id}: ${JSON.stringify(response?.body)}`;
  });
}
