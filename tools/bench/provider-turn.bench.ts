import { BUSY } from './core/options.ts';
import { providerTables } from './core/provider-loads.ts';
import type { Bench, Findings, Goal } from './core/results.ts';
import { figure } from './core/statistics.ts';
import { CONTINUE, START } from './core/turns.ts';

export const bench: Bench = {
  about:
    'A continue over REST (v2) on PostgreSQL whose reply comes from a provider, next to one of the demo model. The provider is another process, and' +
    ' sends each token as its own chunk, at once. `undici` only reads a reply.',

  async run(): Promise<Findings> {
    const { tables, samples } = await providerTables('Continues', { first: [START], repeat: [CONTINUE] });
    const goals = ['chat completions', 'messages'].map(
      (protocol): Goal => ({
        description: `continue, ${protocol} of 30 tokens, concurrency ${BUSY}: CPU`,
        limit: 1.5,
        is: 'at most',
        unit: 'ms',
        measured: figure(samples.get(30) ?? {}, protocol, 'cpuMs'),
      }),
    );
    return { tables, goals };
  },
};
