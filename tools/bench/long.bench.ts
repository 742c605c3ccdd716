import { cpuMsOf } from './core/cpu.ts';
import { createDatabase } from './core/database.ts';
import { options, ROUNDS } from './core/options.ts';
import { AGENT, type Target } from './core/processes.ts';
import { type BenchProvider, startProvider } from './core/provider.ts';
import type { Bench, Findings } from './core/results.ts';
import { alternate, figure, ratio, type Sample } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

/** Turns before the first measured one. */
const TURNS = options.quick ? 60 : 200;

/** Turns of a measurement. */
const MEASURED = 50;

const WINDOW = 'WINDOW, 5 message pairs';

const POLICIES = {
  [WINDOW]: { context: 'window' },
  'COMPACT, 8,000 tokens': { context: 'compact', contextTokens: 8_000 },
  'COMPACT, the whole history': { context: 'compact', contextTokens: 1_000_000 },
} as const;

export const bench: Bench = {
  about:
    `A continue in a conversation of ${TURNS} turns on PostgreSQL with each context, and the prompts that it sends, with those of summaries. The` +
    ' provider is another process. It replies with 300 tokens, and counts four bytes of a prompt as a token. Turns run one after another, each' +
    ' service has one conversation, and it grows from round to round.',

  async run(): Promise<Findings> {
    const provider = await startProvider();
    await provider.setReplies({ tokens: 300, everyMs: 0, countsPrompts: true });
    const talks: [string, LongTalk][] = [];
    for (const [name, config] of Object.entries(POLICIES)) talks.push([name, await startTalk(provider, config)]);
    const runs = talks.map(([name, talk]) => [name, () => measure(provider, talk)] as const);
    const samples = await alternate(Object.fromEntries(runs), ROUNDS);
    const columns = [
      { key: 'cpuMs', title: 'CPU ms/turn', digits: 2 },
      { key: 'sentKb', title: 'prompts, kB/turn', digits: 0 },
      { key: 'cpu', title: `CPU × ${WINDOW}`, digits: 2 },
      { key: 'sent', title: `prompts × ${WINDOW}`, digits: 1 },
    ];
    const rows = Object.keys(samples).map((name) => ({
      name,
      figures: {
        cpuMs: figure(samples, name, 'cpuMs'),
        sentKb: figure(samples, name, 'sentKb'),
        cpu: ratio(samples, name, WINDOW, 'cpuMs'),
        sent: ratio(samples, name, WINDOW, 'sentKb'),
      },
    }));
    return { tables: [{ title: `A turn after ${TURNS} turns`, columns, rows }], goals: [] };
  },
};

/** A conversation, alone in its service. */
interface LongTalk {
  readonly target: Target;
  readonly conversationId: string;
}

async function startTalk(provider: BenchProvider, config: object): Promise<LongTalk> {
  const database = await createDatabase();
  const target = await provider.startService('chat', database.url);
  await database.query(
    `WITH deployed AS (UPDATE deployment SET published_version = 2 WHERE id = '${AGENT}' RETURNING workflow_id)
     INSERT INTO workflow_version (workflow_id, number, config, created_at)
     SELECT deployed.workflow_id, 2, config || '${JSON.stringify(config)}'::jsonb, now()
     FROM deployed JOIN workflow_version USING (workflow_id) WHERE number = 1`,
  );
  const { conversation_id: conversationId } = await send(target, START.body ?? '');
  const talk = { target, conversationId: String(conversationId) };
  for (let turn = 1; turn < TURNS; turn += 1) await say(talk);
  return talk;
}

const say = ({ target, conversationId }: LongTalk) =>
  send(target, (CONTINUE.body ?? '').replace('$conversation_id', conversationId));

async function send({ url }: Target, body: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url + START.path, { method: 'POST', headers: JSON_BY_KEY, body });
  if (!response.ok) throw new Error(`a turn failed with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function measure(provider: BenchProvider, talk: LongTalk): Promise<Sample> {
  const { pid } = talk.target;
  const [cpuBefore, sentBefore] = [cpuMsOf(pid), await provider.receivedBytes()];
  for (let turn = 0; turn < MEASURED; turn += 1) await say(talk);
  const sent = (await provider.receivedBytes()) - sentBefore;
  return { cpuMs: (cpuMsOf(pid) - cpuBefore) / MEASURED, sentKb: sent / MEASURED / 1_000 };
}
