import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryItem, textOf } from '../support/agent-turns.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, type FakeReply, type FakeRequest, startFakeProvider } from '../support/fake-provider.ts';
import { isSummaryRequest, promptOf } from '../support/memory-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { openStalls, type StallPoint, type StatementStalls } from '../support/stall.ts';
import { LONG } from '../support/talk.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

/** Where the process dies: while a model works, or at the statement that stores the summary. */
type Death = 'at the summary' | 'at the step after it' | readonly [point: StallPoint, fate: 'committed' | 'aborted'];

const STORING: readonly Death[] = [
  ['before', 'aborted'],
  ['before', 'committed'],
  ['within', 'aborted'],
  ['within', 'committed'],
];

/** The conversations that each kill interrupts. A process has ten connections for stalled statements. */
const KILLS: readonly (readonly [Death, number])[] = [
  ['at the summary', 26],
  ['at the step after it', 26],
  ...[...STORING, ...STORING].map((death) => [death, 6] as const),
];

const NAME = /talk-[a-z0-9]+/;

const nameOf = (request: FakeRequest) => NAME.exec(promptOf(request).messages.join(''))?.[0] ?? '';

/**
 * Holds the first matching request of each named conversation until the test lets it go. Turns of earlier kills continue
 * meanwhile, in another process.
 */
class HoldingProvider {
  readonly held = new Set<string>();
  names: ReadonlySet<string> = new Set();
  holds: 'summary' | 'step' = 'summary';
  open: Promise<void> = Promise.resolve();

  reply = (request: FakeRequest): FakeReply => {
    const name = nameOf(request);
    const text = isSummaryRequest(request) ? `They spoke about ${name}.` : 'Done.';
    const isFull = promptOf(request).messages.at(-1)?.includes('fill up');
    const usage = { input: isFull && !isSummaryRequest(request) ? 9_000 : 100, output: 5 };
    const isMatch = this.names.has(name) && this.holds === (isSummaryRequest(request) ? 'summary' : 'step');
    const isHeld = isMatch && !this.held.has(name);
    if (!isHeld) return { kind: 'answer', deltas: [text], usage };
    this.held.add(name);
    return { kind: 'dictated', pieces: this.#afterwards(text), usage };
  };

  async *#afterwards(text: string) {
    await this.open;
    yield { deltas: [text] };
  }
}

describe.skipIf(!POSTGRES_URL)('a summary whose process is killed', () => {
  let store: PostgresStore;
  let provider: FakeProvider;
  let stalls: StatementStalls;
  let deploymentId: string;
  const holding = new HoldingProvider();
  const start = () => startOn(store, { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'a-key' });
  const say = (client: ServiceProcess, text: string, id?: string) =>
    client.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { content: [{ type: 'text', text }], ...(id && { conversation_id: id }) },
    });
  const itemsOf = async (client: ServiceProcess, id: string) => {
    const path = `/v2/runner/${deploymentId}/conversation/${id}/history?limit=100&include=summaries`;
    return (await client.send('GET', path)).body as { run_status: string; items: HistoryItem[] };
  };

  beforeAll(async () => {
    store = await postgresStore();
    provider = await startFakeProvider();
    provider.reply(holding.reply);
    const first = await start();
    const draft = { model: 'openai-compatible:m', context: 'COMPACT', contextTokens: 8_000, recovery: 'CONTINUE' };
    deploymentId = (await publishedWorkflow(workflowsOf(first), draft)).deploymentId;
    await first.kill('SIGTERM');
    stalls = await openStalls(store.url);
  });
  afterAll(async () => {
    await killAll();
    await stalls.close();
    await provider.close();
    await store.remove();
  });

  /** A conversation whose next turn is summarized first. */
  async function fullTalk(client: ServiceProcess, name: string): Promise<string> {
    const { body } = await say(client, `I am ${name}. ${LONG}`);
    await say(client, LONG, body.conversation_id);
    await say(client, 'Now fill up.', body.conversation_id);
    return body.conversation_id;
  }

  async function kill(victim: ServiceProcess, death: Death, talks: ReadonlyMap<string, string>): Promise<void> {
    const ids = [...talks.values()];
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const holds = death === 'at the step after it' ? 'step' : 'summary';
    Object.assign(holding, { open: promise, holds, names: new Set(talks.keys()) });
    holding.held.clear();
    for (const id of ids) void say(victim, 'And now?', id).catch(() => {});
    await until(async () => holding.held.size === ids.length, { withinMs: busyMs(20_000) });
    holding.names = new Set();
    if (typeof death !== 'string') {
      await stalls.hold(ids, death[0]);
      open();
      await stalls.waiting(ids.length);
    }
    await victim.kill('SIGKILL');
    open();
    if (typeof death !== 'string') await stalls.release(death[1]);
  }

  it('is stored once, and its turn continues in another process, whatever the process did', async () => {
    const other = await start();
    const names = KILLS.flatMap(([, count], round) =>
      Array.from({ length: count }, (_, talk) => `talk-${round}x${talk}`),
    );
    expect(names).toHaveLength(100);
    const ids = new Map<string, string>();
    const prepare = async (name: string) => void ids.set(name, await fullTalk(other, name));
    for (let done = 0; done < names.length; done += 10) await Promise.all(names.slice(done, done + 10).map(prepare));
    for (const [round, [death]] of KILLS.entries()) {
      const own = [...ids].filter(([name]) => name.startsWith(`talk-${round}x`));
      await kill(await start(), death, new Map(own));
    }
    for (const [name, id] of ids) {
      const read = await until(
        async () => {
          const state = await itemsOf(other, id);
          return state.run_status === 'running' ? undefined : state;
        },
        { withinMs: busyMs(2 * RECOVERY_MS) },
      );
      expect(read.run_status, name).toBe('completed');
      const said = read.items.filter(({ type }) => type === 'message').map(textOf);
      expect(said.slice(-2), name).toEqual(['And now?', 'Done.']);
      expect(said, name).toHaveLength(8);
      const summaries = read.items.filter(({ type }) => (type as string) === 'summary') as unknown as {
        text: string;
      }[];
      expect(summaries, name).toMatchObject([{ text: `They spoke about ${name}.` }]);
    }
  }, 600_000);

  it('is written once by racing turns', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const id = await fullTalk(one, 'talk-race');
    const racing = Array.from({ length: 20 }, (_, index) => say(index % 2 === 0 ? one : other, 'And now?', id));
    const statuses = (await Promise.all(racing)).map(({ status }) => status);
    // A turn that comes after the end of another one is accepted too.
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { items } = await itemsOf(one, id);
    expect(items.filter(({ type }) => (type as string) === 'summary')).toHaveLength(1);
  });
});
