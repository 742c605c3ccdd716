import { createDatabase } from './core/database.ts';
import { BUSY, LEVELS, options } from './core/options.ts';
import { CHAT, startService, startTarget, type Target } from './core/processes.ts';
import { startProvider } from './core/provider.ts';
import type { Bench, Column, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Samples } from './core/statistics.ts';
import { type StreamOrder, stream } from './core/streams.ts';
import { JSON_BY_KEY } from './core/turns.ts';

const ROUNDS = options.quick ? 2 : 3;

/** The words of a reply, and the demo model's pause between them while a client listens. */
const WORDS = 50;
const WORD_PAUSE_MS = 15;

const ORDER: Omit<StreamOrder, 'url' | 'pid' | 'concurrency'> = {
  headers: { ...JSON_BY_KEY, accept: 'text/event-stream' },
  path: `/v1/runner/${CHAT}/conversation/stream`,
  body: JSON.stringify({ content: [{ type: 'text', text: `/stream ${WORDS}` }] }),
  end: 'event: done\n',
  warmUpMs: WORDS * WORD_PAUSE_MS,
  durationMs: options.quick ? 1_500 : 3_000,
};

const SERVICE = 'the service';
const BASELINE = 'Express';

export const bench: Bench = {
  about:
    `Replies of ${WORDS} words streamed by \`/v1/…/conversation/stream\` on PostgreSQL. Each starts a new conversation, and each client requests` +
    ` the next reply as soon as it has one. The demo model pauses ${WORD_PAUSE_MS} ms between words while a client listens, which limits a` +
    ` stream to ${number(limitOf(1))} tokens/s, and 64 streams to ${number(limitOf(64))}. "Of the limit" is the fraction that was reached, including the time to` +
    ` start and end a turn (${WORDS} words have ${WORDS - 1} pauses). The CPU time of a token includes this too. The first byte belongs to the event` +
    ' `start`, and the first word follows at once. The baseline is an Express route that writes the same chunks at the same pace and stores nothing.' +
    ' With a provider, the baseline passes the bytes of its response on.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url });
    const baseline = await startTarget({ script: 'bench/express-live.js' });
    const tables: Table[] = [];
    for (const target of [service, baseline]) await stream(target, { ...ORDER, concurrency: BUSY });
    for (const concurrency of LEVELS) {
      const on = (target: Target) => () => stream(target, { ...ORDER, concurrency });
      tables.push(tableOf(concurrency, await alternate({ [SERVICE]: on(service), [BASELINE]: on(baseline) }, ROUNDS)));
    }
    await service.stop();
    await baseline.stop();
    const provided = await providedReplies(database.url);
    return { tables: [...tables, ...provided.tables], goals: provided.goals };
  },
};

const RELAY = 'Express relay';
const TOKENS = 300;
const PACE_MS = 10;
const STREAMS = 64;

/** Replies of a provider, streamed at its pace: by the service, and by a route that only passes the bytes on. */
async function providedReplies(databaseUrl: string): Promise<Findings> {
  const provider = await startProvider();
  const chat = await provider.startService('chat', databaseUrl);
  const messages = await provider.startService('messages', databaseUrl);
  const relay = await startTarget({ script: 'bench/express-relay.js', env: { OPENAI_BASE_URL: provider.url } });
  const order = { ...ORDER, concurrency: STREAMS, durationMs: options.quick ? 3_000 : 6_000 };
  const read = { ...order, path: '/relay', body: '{}', end: '[DONE]' };
  const tables: Table[] = [];
  let goals: Goal[] = [];
  for (const tokens of [1, 30, TOKENS]) {
    await provider.setReplies({ tokens, everyMs: PACE_MS });
    const warmUpMs = tokens * PACE_MS;
    const samples = await alternate(
      {
        'chat completions': () => stream(chat, { ...order, warmUpMs }),
        messages: () => stream(messages, { ...order, warmUpMs }),
        [RELAY]: () => stream(relay, { ...read, warmUpMs }),
      },
      ROUNDS,
    );
    tables.push(providedTable(tokens, samples));
    if (tokens === TOKENS) goals = ['chat completions', 'messages'].map((name) => providedGoal(name, samples));
  }
  return { tables, goals };
}

function providedTable(tokens: number, samples: Samples): Table {
  const columns = COLUMNS.filter(({ key }) => key !== 'share').map((column) =>
    column.key === 'ratio' ? { ...column, title: `CPU × ${RELAY}` } : column,
  );
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: {
      ...Object.fromEntries(columns.map(({ key }) => [key, figure(samples, name, key)])),
      ratio: ratio(samples, name, RELAY, 'cpuUs'),
    },
  }));
  const title = `${STREAMS} replies of a provider at ${1_000 / PACE_MS} tokens a second, ${tokens} ${tokens === 1 ? 'token' : 'tokens'} each`;
  return { title, columns, rows };
}

function providedGoal(name: string, samples: Samples): Goal {
  const description = `${STREAMS} streamed replies of ${TOKENS} tokens, ${name}: CPU of a token against an Express relay`;
  return { description, limit: 2, is: 'at most', unit: '×', measured: ratio(samples, name, RELAY, 'cpuUs') };
}

/** The maximum tokens per second of this many streams. */
function limitOf(streams: number): number {
  return (streams * 1_000) / WORD_PAUSE_MS;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

const COLUMNS: readonly Column[] = [
  { key: 'perSecond', title: 'tokens/s', digits: 0 },
  { key: 'share', title: 'of the limit', digits: 2 },
  { key: 'byteP50', title: 'first byte p50 ms', digits: 2 },
  { key: 'byteP99', title: 'first byte p99 ms', digits: 2 },
  { key: 'cpuUs', title: 'CPU µs/token', digits: 0 },
  { key: 'ratio', title: 'CPU × Express', digits: 2 },
];

function tableOf(concurrency: number, samples: Samples): Table {
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: {
      ...Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(samples, name, key)])),
      share: figureOf((samples[name] ?? []).map(({ perSecond = 0 }) => perSecond / limitOf(concurrency))),
      ratio: ratio(samples, name, BASELINE, 'cpuUs'),
    },
  }));
  return { title: `Streams, concurrency ${concurrency}`, columns: COLUMNS, rows };
}
