import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf, textsOf } from '../support/branching.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { openStalls, type StallPoint, type StatementStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

/** A change of the line of a conversation whose messages are `one`, `You said: one`, `two` and `You said: two`. */
interface Change {
  readonly name: string;
  run(client: Client, id: string, first: number | undefined): Promise<HttpResponse>;
  /** The active line if the statement was committed. Without it the line stays as it was. */
  readonly after: readonly string[];
}

const BEFORE = ['one', 'You said: one', 'two', 'You said: two'];

const idAt = async (client: Client, id: string, place: number) => (await branchesOf(client).messages(id))[place]?.id;

const CHANGES: readonly Change[] = [
  {
    name: 'an edit',
    run: (client, id, first) => branchesOf(client).edit(id, first, 'uno'),
    after: ['uno', 'You said: uno'],
  },
  { name: 'a repeated turn', run: (client, id) => branchesOf(client).regenerate(id), after: BEFORE },
];

type Death = readonly [point: StallPoint, fate: 'committed' | 'aborted'];

const DEATHS: readonly Death[] = [
  ['before', 'aborted'],
  ['before', 'committed'],
  ['within', 'aborted'],
  ['within', 'committed'],
];

/** A process has ten connections for stalled statements. */
const AT_ONCE = 6;

describe.skipIf(!POSTGRES_URL)('a change of the line of a conversation', () => {
  let store: PostgresStore;
  let stalls: StatementStalls;
  let other: ServiceProcess;
  let deploymentId: string;
  const say = (text: string, id?: string) =>
    other.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { content: textContent(text), ...(id && { conversation_id: id }) },
    });

  async function conversation(): Promise<string> {
    const id: string = (await say('one')).body.conversation_id;
    await say('two', id);
    return id;
  }

  beforeAll(async () => {
    store = await postgresStore();
    other = await startOn(store);
    deploymentId = (await publishedWorkflow(workflowsOf(other), { recovery: 'CONTINUE' })).deploymentId;
    stalls = await openStalls(store.url);
  });
  afterAll(async () => {
    await killAll();
    await stalls.close();
    await store.remove();
  });

  it.each(DEATHS)(
    'is made as a whole or not at all if its process dies %s the statement, which is %s',
    async (point, fate) => {
      const changes = Array.from({ length: AT_ONCE }, (_, index) => CHANGES[index % CHANGES.length] as Change);
      const ids = await Promise.all(changes.map(conversation));
      const victim = await startOn(store);
      const target = await Promise.all(ids.map((id) => idAt(victim, id, 0)));
      await stalls.hold(ids, point);
      const sent = changes.map(({ run }, index) => run(victim, ids[index] ?? '', target[index]).catch(() => undefined));
      await stalls.waiting(ids.length);
      await victim.kill('SIGKILL');
      await stalls.release(fate);
      await Promise.all(sent);
      for (const [index, { name, after }] of changes.entries()) {
        await expectOneLine(ids[index] ?? '', fate === 'committed' ? after : BEFORE, name);
      }
    },
  );

  /** The line has ended, and it is the expected one. The next turn continues it. */
  async function expectOneLine(id: string, expected: readonly string[], where: string): Promise<void> {
    const { messages } = branchesOf(other);
    const read = async (fields: string) => {
      const { body } = await other.graphql(`query ($id: ID!) { conversation(id: $id) { ${fields} } }`, { id });
      return body.data.conversation;
    };
    const ended = async () => {
      const { latestRun } = await read('latestRun { status }');
      return latestRun.status === 'RUNNING' ? undefined : latestRun.status;
    };
    const status = await until(ended, { withinMs: busyMs(2 * RECOVERY_MS) });
    const line = textsOf(await messages(id));
    expect([status, line], where).toEqual(['COMPLETED', expected]);
    // One request reads the conversation before its run, so the run can end in between.
    expect((await read('messageCount')).messageCount, where).toBe(expected.length);
    const next = await say('next', id);
    expect([next.status, next.body.content], where).toEqual([200, 'You said: next']);
  }

  it('is made by one of twenty racing edits at two processes, and the others get 409', async () => {
    const second = await startOn(store);
    for (let round = 0; round < 5; round += 1) {
      const id = await conversation();
      const first = await idAt(other, id, 0);
      const racing = Array.from({ length: 20 }, (_, racer) =>
        branchesOf(racer % 2 === 0 ? other : second).edit(id, first, `racer ${racer}`),
      );
      const responses = await Promise.all(racing);
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const { status, body } of responses.filter((response) => response.status !== 200)) {
        expect(status).toBe(409);
        expect(['message_superseded', 'run_in_progress']).toContain(body.error.code);
        // What a client needs to read the conversation again, or to wait.
        expect(body.error.superseded_by ?? body.error.run_id).toEqual(expect.any(String));
      }
      const texts = textsOf(await branchesOf(other).messages(id));
      expect(texts).toEqual([expect.stringMatching(/^racer \d+$/), winners[0]?.body.content]);
      expect(texts[1]).toBe(`You said: ${texts[0]}`);
    }
  });

  it('is exact if edits, repeated turns, changes of the variant and messages race', async () => {
    const second = await startOn(store);
    const id = await conversation();
    for (let round = 0; round < 6; round += 1) {
      const all = await branchesOf(other).messages(id, '&branch=all');
      const replaced = all.filter((message) => message.superseded_by !== undefined);
      const active = all.filter((message) => message.superseded_by === undefined);
      const [one, two] = [branchesOf(other), branchesOf(second)];
      const responses = await Promise.all([
        one.regenerate(id),
        two.regenerate(id),
        one.edit(id, active[0]?.id, `edit ${round}`),
        two.edit(id, active.findLast(({ role }) => role === 'user')?.id, `late edit ${round}`),
        one.select(id, replaced[0]?.id ?? 0),
        two.fork(id),
        say(`message ${round}`, id),
      ]);
      for (const { status } of responses) expect([200, 201, 404, 409]).toContain(status);
      const line = await branchesOf(second).messages(id);
      expect(line.map(({ role }) => role)).toEqual(line.map((_, place) => (place % 2 === 0 ? 'user' : 'assistant')));
      for (const [place, text] of textsOf(line).entries()) {
        if (place % 2 === 1) expect(text).toBe(`You said: ${textsOf(line)[place - 1]}`);
      }
      const { body } = await second.graphql('query ($id: ID!) { conversation(id: $id) { messageCount } }', { id });
      expect(body.data.conversation.messageCount).toBe(line.length);
    }
  });
});
