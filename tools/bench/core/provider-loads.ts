import { load } from './comparison.ts';
import { createDatabase } from './database.ts';
import { send } from './helper-messages.ts';
import type { Step } from './load.ts';
import { BUSY, ROUNDS, WARM_UP_MS, WINDOW_MS } from './options.ts';
import { startHelper, startService } from './processes.ts';
import { startProvider } from './provider.ts';
import type { Table } from './results.ts';
import { alternate, figure, ratio, type Sample, type Samples } from './statistics.ts';
import type { StepOrder } from './steps.ts';
import { JSON_BY_KEY } from './turns.ts';

const TOKENS = [1, 30, 300] as const;

const UNDICI = 'undici, one reply';

/**
 * Measures requests whose turns use a provider, next to the demo model and to `undici` reading a reply: one table for
 * each length of the replies. `samples` are by length.
 */
export async function providerTables(
  title: string,
  requests: { first?: Step[]; repeat: Step[] },
): Promise<{ tables: Table[]; samples: ReadonlyMap<number, Samples> }> {
  const database = await createDatabase();
  const provider = await startProvider();
  const demo = await startService({ DATABASE_URL: database.url });
  const chat = await provider.startService('chat', database.url);
  const messages = await provider.startService('messages', database.url);
  const reader = startHelper('model-steps');
  const order = {
    headers: JSON_BY_KEY,
    ...requests,
    concurrency: BUSY,
    durationMs: WINDOW_MS,
    warmUpMs: WINDOW_MS / 5,
  };
  for (const target of [demo, chat, messages]) await load(target, { ...order, durationMs: WARM_UP_MS / 2 });
  const tables: Table[] = [];
  const samplesOf = new Map<number, Samples>();
  for (const tokens of TOKENS) {
    await provider.setReplies({ tokens, everyMs: 0 });
    const read = { url: provider.url, protocol: 'chat', tokens, client: 'undici', count: 200 } as const;
    const samples = await alternate(
      {
        'chat completions': () => load(chat, order),
        messages: () => load(messages, order),
        'demo model': () => load(demo, order),
        [UNDICI]: () => send<StepOrder, Sample>(reader, read),
      },
      ROUNDS,
    );
    samplesOf.set(tokens, samples);
    tables.push({
      title: `${title}, replies of a provider with ${tokens} ${tokens === 1 ? 'token' : 'tokens'}, concurrency ${BUSY}`,
      columns: [
        { key: 'cpuMs', title: 'CPU ms/request', digits: 3 },
        { key: 'perSecond', title: 'requests/s', digits: 0 },
        { key: 'ratio', title: 'CPU × demo model', digits: 2 },
      ],
      rows: Object.keys(samples).map((name) => ({
        name,
        figures: {
          cpuMs: figure(samples, name, 'cpuMs'),
          perSecond: figure(samples, name, 'perSecond'),
          ratio: ratio(samples, name, 'demo model', 'cpuMs'),
        },
      })),
    });
  }
  return { tables, samples: samplesOf };
}
