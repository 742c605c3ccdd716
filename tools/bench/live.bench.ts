import { cpuMsOf } from './core/cpu.ts';
import { createDatabase } from './core/database.ts';
import { firstText, openFeed, SHORT, startTurn, stopTime } from './core/live-turns.ts';
import { options } from './core/options.ts';
import { startPacedProvider } from './core/paced-provider.ts';
import { startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Findings } from './core/results.ts';
import { alternate, figure, figureOf, quantile, ratio, type Sample } from './core/statistics.ts';

/** Turns whose first text and stop are measured, one after another. */
const TURNS = options.quick ? 20 : 100;

const STREAMS = 64;
const TOKENS_PER_SECOND = 100;
const ROUNDS = options.quick ? 2 : 3;
const SECONDS = options.quick ? 4 : 8;

/** By then all streams have started, and the code is compiled. */
const WARM_UP_MS = 3_000;

const LONG = { everyMs: 10, tokens: 1_300 };

const SERVICE = 'the service';
const BASELINE = 'Express relay';

export const bench: Bench = {
  about:
    `Turns watched over \`GET /v1/…/stream\` on PostgreSQL with LISTEN/NOTIFY, two processes, and a provider over HTTP. The load is ${STREAMS} turns with` +
    ` ${TOKENS_PER_SECOND} tokens a second each and one watcher each, all in one process. The baseline is an Express route that pipes the provider's` +
    ' response to its client: it parses, stores and checks nothing.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const provider = await startPacedProvider();
    const env = {
      DATABASE_URL: database.url,
      DEFAULT_MODEL: 'openai:any',
      OPENAI_API_KEY: 'a-key',
      OPENAI_BASE_URL: provider.url,
    };
    const [one, other] = [await startService(env), await startService(env)];
    const relay = await startTarget({ script: 'bench/express-relay.js', env: { OPENAI_BASE_URL: provider.url } });
    provider.setPace(SHORT);
    for (let count = 0; count < 5; count += 1) await firstText(one, [one, other], provider);
    const texts: { near: number[]; far: number[] } = { near: [], far: [] };
    for (let count = 0; count < TURNS; count += 1) {
      const [near = 0, far = 0] = await firstText(one, [one, other], provider);
      texts.near.push(near);
      texts.far.push(far);
    }
    const stops: number[] = [];
    for (let count = 0; count < TURNS; count += 1) stops.push(await stopTime(one, other, provider));
    provider.setPace(LONG);
    const variants = {
      [SERVICE]: () => underLoad(one, () => watchedTurn(one)),
      [BASELINE]: () => underLoad(relay, () => relayed(relay)),
    };
    const samples = await alternate(variants, ROUNDS);
    provider.close();
    const columns = [
      { key: 'cpuUs', title: 'CPU µs/token', digits: 1 },
      { key: 'ratio', title: 'CPU × Express', digits: 2 },
    ];
    const cpu = ratio(samples, SERVICE, BASELINE, 'cpuUs');
    const rows = [SERVICE, BASELINE].map((name) => ({
      name,
      figures: { cpuUs: figure(samples, name, 'cpuUs'), ratio: ratio(samples, name, BASELINE, 'cpuUs') },
    }));
    return {
      tables: [
        { title: `${STREAMS} streams with ${TOKENS_PER_SECOND} tokens a second`, columns, rows },
        {
          title: `First text and stop, ${TURNS} turns one after another`,
          columns: ['p50', 'p95', 'p99', 'longest'].map((key) => ({ key, title: `${key} ms`, digits: 1 })),
          rows: [
            { name: 'first text in the same process', figures: quantiles(texts.near) },
            { name: 'first text in another process', figures: quantiles(texts.far) },
            { name: 'stop in another process', figures: quantiles(stops) },
          ],
        },
      ],
      goals: [
        {
          description: 'first text in the same process: median',
          limit: 10,
          is: 'at most',
          unit: 'ms',
          measured: at(texts.near, 0.5),
        },
        {
          description: 'first text in another process: median',
          limit: 60,
          is: 'at most',
          unit: 'ms',
          measured: at(texts.far, 0.5),
        },
        {
          description: 'stop in another process: p99',
          limit: 250,
          is: 'at most',
          unit: 'ms',
          measured: at(stops, 0.99),
        },
        { description: 'CPU of a token against an Express relay', limit: 2, is: 'at most', unit: '×', measured: cpu },
      ],
    };
  },
};

const at = (values: readonly number[], part: number) =>
  figureOf([
    quantile(
      values.toSorted((a, b) => a - b),
      part,
    ),
  ]);

const quantiles = (values: readonly number[]) => ({
  p50: at(values, 0.5),
  p95: at(values, 0.95),
  p99: at(values, 0.99),
  longest: at(values, 1),
});

/** The CPU time of a token while all streams run. */
async function underLoad({ pid }: Target, open: () => Promise<() => void>): Promise<Sample> {
  const closes = await Promise.all(Array.from({ length: STREAMS }, open));
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(WARM_UP_MS);
  const [startedMs, cpuMs] = [performance.now(), cpuMsOf(pid)];
  await pause(SECONDS * 1_000);
  const tokens = ((performance.now() - startedMs) / 1_000) * TOKENS_PER_SECOND * STREAMS;
  const usedMs = cpuMsOf(pid) - cpuMs;
  for (const close of closes) close();
  await pause(LONG.tokens * LONG.everyMs - WARM_UP_MS - SECONDS * 1_000 + 500);
  return { cpuUs: (usedMs * 1_000) / tokens };
}

async function watchedTurn(target: Target): Promise<() => void> {
  const conversationId = await startTurn(target);
  const feed = await openFeed(target, conversationId);
  return () => feed.close();
}

async function relayed({ url }: Target): Promise<() => void> {
  const abort = new AbortController();
  const response = await fetch(`${url}/relay`, { method: 'POST', signal: abort.signal });
  void (async () => {
    for await (const _bytes of response.body ?? []);
  })().catch(() => {});
  return () => abort.abort();
}
