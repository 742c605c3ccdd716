import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { signIn } from '../support/sign-in.ts';
import { openStalls, type StallPoint, type StatementStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

/** The statement at which the process dies. */
type Place = 'step' | 'question' | 'answer';

type Fate = 'committed' | 'aborted';

/** The statement that asks is found by what it has written. */
const DEATHS: readonly (readonly [Place, StallPoint, Fate])[] = (
  [
    ['step', 'before'],
    ['step', 'within'],
    ['question', 'within'],
    ['answer', 'before'],
    ['answer', 'within'],
  ] as const
).flatMap(([place, point]) => (['committed', 'aborted'] as const).map((fate) => [place, point, fate] as const));

/** The conversations of each death. A process has ten connections for stalled statements. */
const TALKS = 3;

/** More than a step reserves. */
const RAISE = 5_000;

const REPLY = { kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } } as const;

/** Lets the requests reach the statement. */
type Sent = () => readonly Promise<unknown>[];

interface State {
  readonly status: string;
  readonly questions: number;
  /** The question that waits for its answer. */
  readonly callId: string | null;
  readonly spent: number;
  readonly raised: number;
  readonly reserved: number;
  readonly stored: number;
}

describe.skipIf(!POSTGRES_URL)('a turn with a budget whose process is killed', () => {
  let store: OwnedStore;
  let provider: FakeProvider;
  let stalls: StatementStalls;
  let db: pg.Client;
  let survivor: ServiceProcess;
  let deploymentId: string;
  let member: string;
  const start = () => startOn(store, { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'a-key' });
  const say = (process: ServiceProcess, id?: string) =>
    process.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { content: textContent('Hello'), ...(id && { conversation_id: id }) },
    });
  const answer = (process: ServiceProcess, id: string, callId: string) =>
    process.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: {
        conversation_id: id,
        tool_results: [{ call_id: callId, output: { approved: true, tokens: RAISE } }],
      },
      headers: { authorization: `Bearer ${member}` },
    });

  /** The latest turn of a conversation, and its ledger. */
  async function stateOf(id: string): Promise<State> {
    const { rows } = await db.query<State>(
      `SELECT r.status::text AS status, count(i.id)::int AS questions, max(i.call_id) FILTER (WHERE i.status = 'pending') AS "callId",
              b.spent::float8 AS spent, b.raised::float8 AS raised, b.reserved::float8 AS reserved,
              (SELECT sum(l.input_tokens + l.output_tokens)::float8 FROM workflow_log l WHERE l.conversation_id = c.id) AS stored
       FROM conversation c JOIN run r ON r.id = c.latest_run_id JOIN budget b ON b.conversation_id = c.id
         LEFT JOIN timeline_item i ON i.run_id = r.id AND i.name = 'raise_budget'
       WHERE c.id = $1 GROUP BY c.id, r.id, r.environment_id, b.environment_id, b.id`,
      [id],
    );
    return rows[0] as State;
  }

  const settled = (id: string) =>
    until(
      async () => {
        const state = await stateOf(id);
        return state.status === 'running' ? undefined : state;
      },
      { withinMs: busyMs(30_000 + RECOVERY_MS) },
    );

  /** Leaves the conversation no room for a step, and makes its budget one that somebody has set. */
  const useUp = (id: string) =>
    db.query('UPDATE budget SET is_default = false, amount = spent + 1 WHERE conversation_id = $1', [id]);

  beforeAll(async () => {
    store = await postgresStore();
    provider = await startFakeProvider();
    provider.reply(REPLY);
    db = new pg.Client({ connectionString: store.url });
    await db.connect();
    survivor = await start();
    member = await signIn(survivor, store);
    const conversationBudget = { period: 'TOTAL', tokens: 1_000_000, onReached: 'PAUSE' };
    const draft = { model: 'openai-compatible:m', recovery: 'CONTINUE', maxReplyTokens: 256, conversationBudget };
    deploymentId = (await publishedWorkflow(workflowsOf(survivor), draft)).deploymentId;
    // The message of a user is stored before the statements at which the processes die.
    stalls = await openStalls(store.url, "NEW.kind <> 'message' OR NEW.role = 'assistant'");
  });
  afterAll(async () => {
    await killAll();
    await db.end();
    await stalls.close();
    await provider.close();
    await store.remove();
  });

  /** Sends what leads to the statement. */
  async function approach(victim: ServiceProcess, place: Place, ids: readonly string[]): Promise<Sent> {
    if (place === 'step') return approachStep(victim, ids);
    await Promise.all(ids.map(useUp));
    if (place === 'question') return () => ids.map((id) => say(victim, id));
    await Promise.all(ids.map((id) => say(survivor, id)));
    const states = await Promise.all(ids.map(stateOf));
    return () => ids.map((id, index) => answer(victim, id, states[index]?.callId as string));
  }

  /** The statement that stores a step: all steps end at once. */
  async function approachStep(victim: ServiceProcess, ids: readonly string[]): Promise<Sent> {
    const gate = Promise.withResolvers<void>();
    async function* held() {
      await gate.promise;
      yield { deltas: ['Hi'] };
    }
    provider.reply(() => ({ kind: 'dictated', pieces: held(), usage: REPLY.usage }));
    const before = provider.requests.length;
    const sent = ids.map((id) => say(victim, id));
    await until(async () => provider.requests.length === before + ids.length);
    return () => {
      gate.resolve();
      return sent;
    };
  }

  /** Lets a process die in this statement of these conversations. */
  async function die([place, point, fate]: (typeof DEATHS)[number], ids: readonly string[]): Promise<void> {
    const victim = await start();
    const go = await approach(victim, place, ids);
    await stalls.hold(ids, point);
    const cut = go().map((sent) => sent.catch(() => 'cut'));
    await stalls.waiting(ids.length);
    await victim.kill('SIGKILL');
    await stalls.release(fate);
    provider.reply(REPLY);
    expect(await Promise.all(cut)).toEqual(ids.map(() => 'cut'));
  }

  it.each(DEATHS)('asks once, is raised once and counts each stored step: %s, %s, %s', async (...death) => {
    const [place, , fate] = death;
    provider.reply(REPLY);
    const first = await Promise.all(Array.from({ length: TALKS }, () => say(survivor)));
    const ids = first.map(({ body }) => body.conversation_id as string);
    await die(death, ids);
    for (const id of ids) {
      const { callId } = await settled(id);
      const isAsked = place === 'question' || (place === 'answer' && fate === 'aborted');
      expect(callId !== null).toBe(isAsked);
      if (callId !== null) await answer(survivor, id, callId);
      const end = await settled(id);
      const asks = place === 'step' ? 0 : 1;
      expect(end).toMatchObject({
        status: 'completed',
        questions: asks,
        raised: asks * RAISE,
        reserved: 0,
        spent: 280,
      });
      expect(end.stored).toBe(end.spent);
    }
  });
});
