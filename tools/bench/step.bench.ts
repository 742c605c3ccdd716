import { send } from './core/helper-messages.ts';
import { options } from './core/options.ts';
import { startHelper } from './core/processes.ts';
import { startProvider } from './core/provider.ts';
import type { Protocol } from './core/replies.ts';
import type { Bench, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, ratio, type Sample, type Samples } from './core/statistics.ts';
import type { StepOrder } from './core/steps.ts';

const ROUNDS = options.quick ? 3 : 5;
const TOKENS = [1, 30, 300] as const;
const PROTOCOLS = { chat: 'chat completions', messages: 'messages' } as const;
const CLIENTS = ['watched step', 'step', 'undici'] as const;

/** The limit of a step's CPU time, in milliseconds, by its number of tokens. */
const LIMITS = { 1: 0.5, 30: undefined, 300: 2 } as const;

export const bench: Bench = {
  about:
    'A model step in one process, against a provider in another one, four at a time, without a database. The provider sends' +
    ' each token as its own chunk, at once. "Watched step" has a listener for its text. The baseline `undici` reads the same response and' +
    ' throws the bytes away.',

  async run(): Promise<Findings> {
    const provider = await startProvider();
    const tables: Table[] = [];
    const goals: Goal[] = [];
    for (const protocol of Object.keys(PROTOCOLS) as Protocol[]) {
      for (const tokens of TOKENS) {
        await provider.setReplies({ tokens, everyMs: 0 });
        const order = { url: provider.url, protocol, tokens, count: tokens === 300 ? 200 : 600 };
        // A process for each client: the code of one would be compiled for the other.
        const runs = CLIENTS.map((client) => {
          const child = startHelper('model-steps');
          return [client, () => send<StepOrder, Sample>(child, { ...order, client })] as const;
        });
        const samples = await alternate(Object.fromEntries(runs), ROUNDS);
        tables.push(tableOf(`${PROTOCOLS[protocol]}, ${tokens} tokens`, samples));
        goals.push(...goalOf(`${PROTOCOLS[protocol]}, ${tokens} tokens`, LIMITS[tokens], samples));
      }
    }
    return { tables, goals };
  },
};

function tableOf(title: string, samples: Samples): Table {
  const columns = [
    { key: 'cpuMs', title: 'CPU ms/step', digits: 3 },
    { key: 'ratio', title: 'CPU × undici', digits: 2 },
  ];
  const rows = CLIENTS.map((name) => ({
    name,
    figures: { cpuMs: figure(samples, name, 'cpuMs'), ratio: ratio(samples, name, 'undici', 'cpuMs') },
  }));
  return { title, columns, rows };
}

function goalOf(title: string, limit: number | undefined, samples: Samples): Goal[] {
  if (limit === undefined) return [];
  const measured = figure(samples, 'watched step', 'cpuMs');
  return [{ description: `a watched step, ${title}: CPU`, limit, is: 'at most', unit: 'ms', measured }];
}
