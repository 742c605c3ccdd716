import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { act, handlingOf, linesOf, openMember, repeated, settled, words } from '../support/handled-conversations.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { openStalls, type StatementStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

/** What happens in each conversation, in this order. */
const STEPS = ['take-over', 'first message', 'member message', 'second message', 'hand-back'] as const;

type Step = (typeof STEPS)[number];

/** What a sweep does instead of the hand-back. */
type Sweep = 'owed answer' | 'expiry of the lease' | 'expiry of the wait';

type Fate = 'committed' | 'aborted';

const DEATHS = (
  [...STEPS, 'owed answer', 'expiry of the lease', 'expiry of the wait'] satisfies readonly (Step | Sweep)[]
).flatMap((place) => (['committed', 'aborted'] as const).map((fate) => [place, fate] as const));

/** The conversations of the death in a request. A sweep handles one after another. */
const TALKS = 3;

/** One conversation, with the idempotency key of each of its requests. */
interface Talk {
  readonly id: string;
  readonly keys: Readonly<Record<Step, string>>;
}

describe.skipIf(!POSTGRES_URL)('a conversation that is handed over and back by a process that is killed', () => {
  let store: OwnedStore;
  let provider: FakeProvider;
  let stalls: StatementStalls;
  let db: pg.Client;
  /** The process that is killed next. */
  let victim: ServiceProcess;
  let deploymentId: string;
  let member: string;
  const start = () => startOn(store, { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'a-key' });
  const say = (process: ServiceProcess, text: string, talk?: Talk, key: string = randomUUID()) =>
    process.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { ...words(text), ...(talk && { conversation_id: talk.id }) },
      headers: { 'idempotency-key': key },
    });

  beforeAll(async () => {
    store = await postgresStore();
    provider = await startFakeProvider();
    provider.reply({ kind: 'answer', deltas: ['An answer'] });
    db = new pg.Client({ connectionString: store.url });
    await db.connect();
    victim = await start();
    member = await openMember(db, 'Anna');
    const draft = { model: 'openai-compatible:m', recovery: 'CONTINUE' };
    deploymentId = (await publishedWorkflow(workflowsOf(victim), draft)).deploymentId;
    stalls = await openStalls(
      store.url,
      "NEW.kind <> 'message' OR NEW.role = 'user' OR NEW.author IS NOT NULL",
      'commit',
    );
  });
  afterAll(async () => {
    await killAll();
    await db.end();
    await stalls.close();
    await provider.close();
    await store.remove();
  });

  async function newTalk(process: ServiceProcess): Promise<Talk> {
    const { body } = await say(process, 'Hello');
    const keys = Object.fromEntries(STEPS.map((step) => [step, randomUUID()])) as Talk['keys'];
    return { id: body.conversation_id, keys };
  }

  const ACTIONS: Record<Step, (process: ServiceProcess, talk: Talk) => Promise<HttpResponse>> = {
    'take-over': (process, { id, keys }) => act(process, id, 'takeover', { token: member, key: keys['take-over'] }),
    'first message': (process, talk) => say(process, 'One', talk, talk.keys['first message']),
    'member message': (process, { id, keys }) =>
      act(process, id, 'member-messages', { token: member, body: words('I am here'), key: keys['member message'] }),
    'second message': (process, talk) => say(process, 'Two', talk, talk.keys['second message']),
    'hand-back': (process, { id, keys }) => act(process, id, 'handback', { token: member, key: keys['hand-back'] }),
  };

  /** Does these steps in a conversation, and repeats each request that another process still holds. */
  async function play(process: ServiceProcess, talk: Talk, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const { status, body } = await repeated(() => ACTIONS[step](process, talk));
      const handledBy = step === 'first message' || step === 'second message' ? 'member' : undefined;
      expect([step, status, body.handled_by]).toEqual([step, 200, handledBy]);
    }
  }

  const setDue = (id: string) =>
    db.query("UPDATE conversation SET handling_until = now() - interval '1 s' WHERE id = $1", [id]);

  /** Lets the sweep of the process do something. */
  async function provoke(sweep: Sweep, id: string): Promise<void> {
    if (sweep !== 'owed answer') return void (await setDue(id));
    // As a hand-back leaves it whose process died before it started the answer.
    await db.query(
      `UPDATE conversation SET handling = 'assistant', handling_facts = NULL, handling_until = NULL, holder_id = NULL, owes_answer = true
       WHERE id = $1`,
      [id],
    );
  }

  /** Kills the process when its statements wait for their commit, and starts another one. */
  async function die(
    ids: readonly string[],
    fate: Fate,
    provoked: () => readonly Promise<unknown>[],
  ): Promise<unknown[]> {
    await stalls.hold(ids, 'within');
    const ends = provoked().map((sent) => sent.catch(() => 'cut'));
    await stalls.waiting(ids.length);
    await victim.kill('SIGKILL');
    await stalls.release(fate);
    victim = await start();
    return Promise.all(ends);
  }

  /** Everything happened once, and each message has one answer. */
  async function check({ id }: Talk, changes: readonly string[]): Promise<void> {
    await settled(db, id);
    expect(await linesOf(db, id)).toEqual([
      'user: Hello',
      'assistant: An answer',
      'user: One',
      'person: I am here',
      'user: Two',
      'assistant: An answer',
    ]);
    expect(await handlingOf(db, id)).toEqual({ handling: 'assistant', owes: false, turns: 2, active: 0, changes });
  }

  it.each(DEATHS.filter((death): death is [Step, Fate] => STEPS.some((step) => step === death[0])))(
    'does each step once if its client repeats it with its key: %s, %s',
    async (place, fate) => {
      const talks = await Promise.all(Array.from({ length: TALKS }, () => newTalk(victim)));
      const at = STEPS.indexOf(place);
      await Promise.all(talks.map((talk) => play(victim, talk, STEPS.slice(0, at))));
      const ids = talks.map(({ id }) => id);
      const ends = await die(ids, fate, () => talks.map((talk) => ACTIONS[place](victim, talk)));
      expect(ends).toEqual(talks.map(() => 'cut'));
      await Promise.all(talks.map((talk) => play(victim, talk, STEPS.slice(at))));
      for (const talk of talks) await check(talk, ['member person', 'assistant person']);
    },
  );

  it.each(DEATHS.filter((death): death is [Sweep, Fate] => !STEPS.some((step) => step === death[0])))(
    'is answered once by another process: %s, %s',
    async (sweep, fate) => {
      const talk = await newTalk(victim);
      await play(victim, talk, STEPS.slice(0, -1));
      if (sweep === 'expiry of the wait') {
        await setDue(talk.id);
        await until(async () => (await handlingOf(db, talk.id)).handling === 'waiting');
      }
      await die([talk.id], fate, () => [provoke(sweep, talk.id)]);
      if (sweep === 'owed answer') return check(talk, ['member person']);
      if (sweep === 'expiry of the lease') {
        await until(async () => (await handlingOf(db, talk.id)).handling === 'waiting');
        await setDue(talk.id);
      }
      await until(async () => (await handlingOf(db, talk.id)).handling === 'assistant');
      await check(talk, ['member person', 'waiting lease_expired', 'assistant wait_expired']);
    },
  );
});
