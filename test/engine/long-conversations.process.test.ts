import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { History } from '../support/agent-turns.ts';
import type { HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import type { Dialect } from '../support/dialects/dialect.ts';
import { modelOf, type StrictProvider, startStrictProvider } from '../support/dialects/strict-provider.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const TURNS = 60;

/** Providers that must get back what earlier steps had, and the strictest templates. All others: test/providers. */
const DIALECTS: readonly Dialect[] = ['mistral', 'gemini', 'deepseek', 'anthropic'];

/** What happens in the turns between two kills. */
const ACTIONS = ['say', 'call', 'cut', 'call', 'call-cut', 'blank', 'cut'] as const;

/** The turns in which a process dies. */
const KILLS: readonly number[] = [20, 41];

/** Where a process dies: before the reply, within it, while a call waits, after its results, and between two turns. */
const POINTS = ['die', 'half-die', 'call', 'call-die', 'say'] as const;

type Point = (typeof POINTS)[number];

const LOOKUP = { name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' }, availability: 'ALWAYS' };

/** A conversation in a dialect, and the texts of the assistant that its turns must leave. */
interface Talk {
  readonly dialect: Dialect;
  readonly recovery: 'SETTLE' | 'CONTINUE';
  readonly deploymentId: string;
  readonly expected: string[];
  /** The requests that another process must repeat. */
  readonly repeated: string[];
  id: string | undefined;
}

describe.skipIf(!POSTGRES_URL)(`conversations of ${TURNS} turns whose processes are killed within turns`, () => {
  let store: PostgresStore;
  let provider: StrictProvider;
  let processes: ServiceProcess[];
  let talks: readonly Talk[];

  const start = () => {
    const address = { OPENAI_BASE_URL: provider.url, ANTHROPIC_BASE_URL: provider.url };
    return startOn(store, { ...address, OPENAI_API_KEY: 'a-key', ANTHROPIC_API_KEY: 'a-key' });
  };
  const send = (client: ServiceProcess, { deploymentId, id }: Talk, body: object): Promise<HttpResponse> =>
    client.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { client_capabilities: ['lookup'], ...(id && { conversation_id: id }), ...body },
    });
  const say = (client: ServiceProcess, talk: Talk, turn: number, action: string) =>
    send(client, talk, { content: [{ type: 'text', text: `turn ${turn} ${action}` }] });
  const answer = (client: ServiceProcess, talk: Talk, callId: string, turn: number) =>
    send(client, talk, { tool_results: [{ call_id: callId, output: { found: turn } }] });

  beforeAll(async () => {
    store = await postgresStore();
    provider = await startStrictProvider();
    processes = await Promise.all([start(), start()]);
    const [first] = processes as [ServiceProcess];
    talks = await Promise.all(
      DIALECTS.map(async (dialect, index) => {
        const recovery = index % 2 === 0 ? 'SETTLE' : 'CONTINUE';
        const draft = { model: modelOf(dialect), clientTools: [LOOKUP], historyLimit: 100, recovery };
        const { deploymentId } = await publishedWorkflow(workflowsOf(first), draft);
        return { dialect, recovery, deploymentId, expected: [], repeated: [], id: undefined } as const;
      }),
    );
  });
  afterAll(async () => {
    await killAll();
    await provider.close();
    await store.remove();
  });

  async function takeTurn(talk: Talk, turn: number): Promise<void> {
    const action = ACTIONS[turn % ACTIONS.length] as string;
    const [one, other] = [processes[turn % 2], processes[(turn + 1) % 2]] as [ServiceProcess, ServiceProcess];
    const { status, body } = await say(one, talk, turn, action);
    expect([turn, status]).toEqual([turn, action === 'cut' ? 502 : 200]);
    talk.id ??= body.conversation_id;
    if (action.startsWith('call')) {
      const resumed = await answer(other, talk, body.client_tool_calls[0].call_id, turn);
      const isCut = action === 'call-cut';
      expect([turn, resumed.body.run_status]).toEqual([turn, isCut ? 'interrupted' : 'completed']);
    }
    talk.expected.push(...textsOf(action, turn));
  }

  const historyOf = async (client: ServiceProcess, { deploymentId, id }: Talk): Promise<History> =>
    (await client.send('GET', `/v2/runner/${deploymentId}/conversation/${id}/history`)).body;

  /** Takes the turn up to the point where its process dies. Returns the call that waits. */
  async function approach(victim: ServiceProcess, talk: Talk, turn: number, point: Point): Promise<string | undefined> {
    const isHanging = point.endsWith('die') ? provider.whenHanging(talk.dialect) : undefined;
    const response = say(victim, talk, turn, point).catch(() => undefined);
    if (point === 'die' || point === 'half-die') await isHanging;
    if (point !== 'call' && point !== 'call-die') return point === 'say' ? void (await response) : undefined;
    const callId = (await response)?.body.client_tool_calls[0].call_id;
    if (point === 'call') return callId;
    void answer(victim, talk, callId, turn).catch(() => undefined);
    await isHanging;
  }

  async function recover(survivor: ServiceProcess, talk: Talk, turn: number, point: Point, callId?: string) {
    if (callId) await answer(survivor, talk, callId, turn);
    const ended = async () => {
      const history = await historyOf(survivor, talk);
      return history.run_status !== 'running' && history;
    };
    const { run_status: status } = await until(ended, { withinMs: busyMs(RECOVERY_MS * 2) });
    const isLost = point.endsWith('die') && talk.recovery === 'SETTLE';
    const lost = point === 'call-die' ? 'interrupted' : 'failed';
    expect([talk.dialect, point, status]).toEqual([talk.dialect, point, isLost ? lost : 'completed']);
    talk.expected.push(...textsOf(point, turn, isLost));
    if (point.endsWith('die') && !isLost) talk.repeated.push(`${turn} ${point === 'call-die'}`);
  }

  async function kill(turn: number, index: number): Promise<void> {
    const [victim, survivor] = (index % 2 === 0 ? processes : processes.toReversed()) as [
      ServiceProcess,
      ServiceProcess,
    ];
    const pointOf = (place: number) => POINTS[(place + index) % POINTS.length] as Point;
    const calls = await Promise.all(talks.map((talk, place) => approach(victim, talk, turn, pointOf(place))));
    await victim.kill('SIGKILL');
    const restarted = start();
    await Promise.all(talks.map((talk, place) => recover(survivor, talk, turn, pointOf(place), calls[place])));
    processes = [survivor, await restarted];
  }

  it('continue in another process, in prompts that no provider refuses, and neither lose nor repeat anything', async () => {
    let turn = 0;
    for (const [index, end] of [...KILLS, TURNS].entries()) {
      const from = turn;
      await Promise.all(
        talks.map(async (talk) => {
          for (let number = from; number < end; number += 1) await takeTurn(talk, number);
        }),
      );
      if (end < TURNS) await kill(end, index);
      turn = end + 1;
    }
    expect(provider.problems).toEqual([]);
    for (const { turns } of provider.requests) expect(turns[0]).toBe(0);
    for (const talk of talks) {
      const { dialect, expected, repeated } = talk;
      expect([dialect, await storedTexts(talk)]).toEqual([dialect, expected]);
      expect([dialect, repeatedRequests(talk)]).toEqual([dialect, repeated]);
    }
    // Two points are those of a continued turn.
    expect(talks.flatMap(({ repeated }) => repeated).length).toBe(2);
  }, 120_000);

  /** What is stored, in order. */
  async function storedTexts({ id }: Talk): Promise<string[]> {
    const pool = openPool(store.url, 1);
    const { rows } = await pool.query(
      `SELECT coalesce(role::text, kind || ' ' || status) AS source, coalesce(content->0->>'text', arguments->>'turn') AS text
       FROM timeline_item WHERE conversation_id = $1 ORDER BY id`,
      [id],
    );
    await pool.end();
    return rows.map(({ source, text }) => `${source}: ${text}`);
  }

  /** Requests that the provider got twice, as turns and whether they had results. */
  function repeatedRequests({ dialect: wanted }: Talk): string[] {
    const keys = provider.requests
      .filter(({ dialect }) => dialect === wanted)
      .map(({ turns, hasResults }) => `${turns.at(-1)} ${hasResults}`);
    return keys.filter((key, index) => keys.indexOf(key) !== index);
  }
});

/** What a turn leaves. `isLost`: it ended with its process. */
function textsOf(action: string, turn: number, isLost = false): string[] {
  const call = action.startsWith('call') ? ['assistant: \n', `client_tool completed: ${turn}`] : [];
  const reply = action === 'blank' ? 'assistant: \n\n' : 'assistant: Yes.';
  const isCut = isLost || action.endsWith('cut');
  return [`user: turn ${turn} ${action}`, ...call, ...(isCut ? [] : [reply])];
}
