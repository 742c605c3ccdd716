import { createDatabase } from './core/database.ts';
import { BUSY, LEVELS, options } from './core/options.ts';
import { CHAT, startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Column, Findings, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Samples } from './core/statistics.ts';
import { type StreamOrder, stream } from './core/streams.ts';
import { JSON_BY_KEY } from './core/turns.ts';

const ROUNDS = options.quick ? 2 : 3;

/** Words of a reply, and how long the demo model pauses between them while somebody listens. */
const WORDS = 50;
const WORD_PAUSE_MS = 15;

const ORDER: Omit<StreamOrder, 'url' | 'pid' | 'concurrency'> = {
  headers: { ...JSON_BY_KEY, accept: 'text/event-stream' },
  path: `/v1/runner/${CHAT}/conversation/stream`,
  body: JSON.stringify({ content: [{ type: 'text', text: `/stream ${WORDS}` }] }),
  // A reply, more or less.
  warmUpMs: WORDS * WORD_PAUSE_MS,
  durationMs: options.quick ? 1_500 : 3_000,
};

const SERVICE = 'the service';
const FLOOR = 'Express';

export const bench: Bench = {
  about:
    `Replies of ${WORDS} words streamed by \`/v1/…/conversation/stream\` on PostgreSQL, each of a conversation that begins with it: a reader asks` +
    ` for the next as soon as it has one. The demo model pauses ${WORD_PAUSE_MS} ms between words while somebody listens, which bounds a` +
    ` stream to ${number(bound(1))} tokens/s, and 64 of them to ${number(bound(64))}: "of the bound" is the part of it that was reached, what it takes to` +
    ` begin and end a turn included; ${WORDS} words have ${WORDS - 1} pauses. The CPU of a token has that too. The first byte is that of the event` +
    ' `start`, which the first word follows at once. The floor is an Express route that writes the same pieces at the same pace, and keeps nothing.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url });
    const floor = await startTarget({ script: 'bench/express-live.js' });
    const tables: Table[] = [];
    for (const target of [service, floor]) await stream(target, { ...ORDER, concurrency: BUSY });
    for (const concurrency of LEVELS) {
      const on = (target: Target) => () => stream(target, { ...ORDER, concurrency });
      tables.push(tableOf(concurrency, await alternate({ [SERVICE]: on(service), [FLOOR]: on(floor) }, ROUNDS)));
    }
    return { tables, goals: [] };
  },
};

/** Tokens a second that so many streams have at most. */
function bound(streams: number): number {
  return (streams * 1_000) / WORD_PAUSE_MS;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

const COLUMNS: readonly Column[] = [
  { key: 'perSecond', title: 'tokens/s', digits: 0 },
  { key: 'share', title: 'of the bound', digits: 2 },
  { key: 'byteP50', title: 'first byte p50 ms', digits: 2 },
  { key: 'byteP99', title: 'first byte p99 ms', digits: 2 },
  { key: 'cpuUs', title: 'CPU µs/token', digits: 0 },
  { key: 'beside', title: 'CPU × Express', digits: 2 },
];

function tableOf(concurrency: number, samples: Samples): Table {
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: {
      ...Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(samples, name, key)])),
      share: figureOf((samples[name] ?? []).map(({ perSecond = 0 }) => perSecond / bound(concurrency))),
      beside: ratio(samples, name, FLOOR, 'cpuUs'),
    },
  }));
  return { title: `Streams, concurrency ${concurrency}`, columns: COLUMNS, rows };
}
