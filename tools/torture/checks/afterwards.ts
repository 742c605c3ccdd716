import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../../test/support/client.ts';
import type { Receiver } from '../../../test/support/receiver.ts';
import { until } from '../../../test/support/until.ts';
import type { Follower } from '../followers.ts';
import { type Known, noteReply, settle, takeTurn } from '../lanes/conversation.ts';
import { resolveRound } from '../lanes/rounds.ts';
import { Random } from '../random.ts';
import type { Move, Stage } from '../stage.ts';
import type { Watcher } from '../watchers.ts';

/** How long after the last strike something may still be at work: a lease, its recovery, and the longest turn. */
const QUIET_WITHIN_MS = 15_000;

/** What a process that died had claimed of webhooks is free again after 20 s. */
const DELIVERED_WITHIN_MS = 60_000;

/** Conversations that are asked for one more turn. */
const SAMPLE = 250;

/** At once. */
const WORKERS = 6;

/** Whoever was there all the time. */
export interface Witnesses {
  readonly followers: readonly Follower[];
  readonly receiver: Receiver;
  readonly watcher: Watcher;
}

/** What the service itself says once nothing strikes it any more. */
export async function checkAfterwards(stage: Stage, { followers, receiver, watcher }: Witnesses): Promise<void> {
  await checkQuiet(stage);
  await checkWitnesses(stage, followers, receiver);
  await watcher.check();
  const all = await conversationsOf(stage);
  const random = new Random(stage.seed, 'sample');
  const waiting = all.filter(({ status }) => status === 'waiting_for_client_action');
  const others = all.filter((one) => !waiting.includes(one));
  while (others.length > SAMPLE) others.splice(random.index(others.length), 1);
  const left = [...waiting.slice(0, SAMPLE), ...others];
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      for (let one = left.shift(); one; one = left.shift()) {
        await checkConversation(moveOf(stage, `#after${worker}-${left.length}#`), one);
      }
    }),
  );
}

function moveOf(stage: Stage, tag: string): Move {
  return { ...stage, tag, random: new Random(stage.seed, tag) };
}

async function checkQuiet(stage: Stage): Promise<void> {
  const count = `{ conversations(first: 1, filter: { runStatuses: [running] }) { totalCount } }`;
  const isQuiet = async () => {
    const { body } = await (await stage.fleet.client(0)).graphql(count);
    const others = await stage.database?.query(
      "SELECT run_id FROM queued_turn UNION ALL SELECT id FROM run WHERE status = 'running'",
    );
    return body.data.conversations.totalCount === 0 && (others?.rows.length ?? 0) === 0;
  };
  const quiet = await until(isQuiet, { withinMs: QUIET_WITHIN_MS, everyMs: 250 }).catch(() => false);
  stage.journal.check('nothing is at work, or waits for its turn, 15 s after the last strike', quiet, () => 'it is');
}

/** One last event, which all of them must come to. */
async function checkWitnesses({ fleet, journal }: Stage, followers: readonly Follower[], receiver: Receiver) {
  const client = await fleet.client(0);
  const made = await client.send('POST', '/v1/resources', { body: { type: 'last', fields: {} } });
  const resourceId: string = made.body.data.id;
  const events = await client.send('GET', `/v1/events?resourceId=${resourceId}`);
  const last: string = events.body.data[0].id;
  await Promise.all([
    ...followers.map(async (follower) => {
      const came = await follower.has(last, 20_000);
      journal.check('a follower comes to the end of the log', came, () => follower.name);
    }),
    (async () => {
      const isThere = async () => receiver.received.some(({ message }) => message.id === last);
      const came = await until(isThere, { withinMs: DELIVERED_WITHIN_MS }).catch(() => false);
      journal.check('a webhook comes to the end of the log', came, () => `${receiver.received.length} messages`);
      // What was delivered last is still to be written down.
      await pause(500);
    })(),
  ]);
  for (const { name, ids } of followers) journal.followed.set(name, ids);
  journal.followed.set('webhook', [...new Set(receiver.received.map(({ message }) => message.id))]);
}

interface Listed {
  readonly known: Known;
  readonly status: string | undefined;
}

/** All conversations, those too whose start was lost. */
async function conversationsOf({ fleet }: Stage): Promise<Listed[]> {
  const client = await fleet.client(0);
  const document = `query ($after: String) { conversations(first: 100, after: $after) {
    nodes { conversationId status deploymentId run { status } } pageInfo { hasNextPage endCursor } } }`;
  const listed: Listed[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { body }: Answer = await client.graphql(document, { after });
    const { nodes, pageInfo } = body.data.conversations;
    for (const { conversationId: id, status, deploymentId, run } of nodes) {
      const known = { id, deploymentId, completed: status === 'completed', uncertain: false };
      listed.push({ known, status: run?.status });
    }
    after = pageInfo.endCursor;
    more = pageInfo.hasNextPage;
  }
  return listed;
}

/** What waits is resumed to its end; then one more turn is taken, or refused for good. */
async function checkConversation(move: Move, { known }: Listed): Promise<void> {
  const { journal, tag } = move;
  for (let round = 0; round < 4; round += 1) {
    const state = await settle(move, known);
    if (!state || state.pending_client_actions.length === 0) break;
    const answer = await resolveRound(move, known, state.pending_client_actions);
    if (answer) noteReply(journal, known, answer);
  }
  const script = { text: `After ${tag}`, reply: undefined, fails: false, completes: false, makes: undefined };
  const { answer } = await takeTurn(move, 'v2', known.deploymentId, script, { ...known });
  const isRefused = known.completed && answer?.body.error?.code === 'conversation_completed';
  const isTaken = !known.completed && answer?.status === 200 && answer.body.content === `You said: After ${tag}`;
  journal.check('every conversation takes another turn, or is completed', isRefused || isTaken, () => {
    return `${known.id}: ${JSON.stringify(answer?.body)}`;
  });
}
