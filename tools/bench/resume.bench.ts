import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Step } from './core/load.ts';
import { BUSY, LEVELS, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { startService } from './core/processes.ts';
import { providerTables } from './core/provider-loads.ts';
import type { Bench, Findings, Table } from './core/results.ts';
import { alternate } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, PAUSE, RESUME, START } from './core/turns.ts';

export const bench: Bench = {
  about:
    'A turn that pauses for the user (`/ask`), and the request that resumes it, on PostgreSQL. "Pause and resume" is a pair of' +
    ' requests, and each counts. For comparison: a plain start, and a plain start with a continue. With a provider, the reply to the pause is a' +
    ' call, and the reply to the resume has the tokens.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url });
    const kinds: Readonly<Record<string, readonly Step[]>> = {
      pause: [PAUSE],
      'pause and resume': [PAUSE, RESUME],
      start: [START],
      'start and continue': [START, CONTINUE],
    };
    const headers = JSON_BY_KEY;
    await load(service, { headers, repeat: [PAUSE, RESUME], concurrency: BUSY, durationMs: WARM_UP_MS });
    const tables: Table[] = [];
    for (const concurrency of LEVELS) {
      const order = { headers, concurrency, durationMs: WINDOW_MS, warmUpMs: WINDOW_MS / 5 };
      const runs = Object.entries(kinds).map(
        ([name, repeated]) => [name, () => load(service, { ...order, repeat: repeated })] as const,
      );
      tables.push(loadTable(`Concurrency ${concurrency}`, await alternate(Object.fromEntries(runs), ROUNDS)));
    }
    tables.push(...(await providerTables('Pause and resume', { repeat: [PAUSE, RESUME] })).tables);
    return { tables, goals: [] };
  },
};
