// `npm run torture -- --minutes 20 --seed 7` runs three processes under load with kills, pauses and disconnections.
// Then it compares every response with the stored data. Exits with 1 after a violation.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freshBundle } from './build.mjs';

process.env.TEST_DATABASE_URL = process.env.TORTURE_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';
// The test support reads the location of databases when it is loaded.
const { torture } = await import('./torture/run.ts');
const { reportOf } = await import('./torture/report.ts');
const { planDisruptions: planStrikes } = await import('./torture/plan.ts');

const MOST_MINUTES = 240;

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
      database: { type: 'string', default: 'postgres' },
      redis: { type: 'string' },
      report: { type: 'string', default: join(import.meta.dirname, '../test/torture/REPORT.md') },
    },
  });
  const { database, report, redis = database === 'postgres' ? 'on' : 'off' } = values;
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && minutes <= MOST_MINUTES))
    throw new Error(`--minutes must be a number above 0 and at most ${MOST_MINUTES}.`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  if (database !== 'postgres' && database !== 'embedded') throw new Error('--database must be postgres or embedded.');
  if (redis !== 'on' && redis !== 'off') throw new Error('--redis must be on or off.');
  if (redis === 'on' && database === 'embedded')
    throw new Error('--redis on needs --database postgres, because the embedded database allows one process.');
  return { options: { database, seed, forMs: minutes * 60_000, redis: redis === 'on' } as const, report };
}

async function main(): Promise<number> {
  const { options, report } = optionsOf(process.argv.slice(2));
  await freshBundle('main.js');
  const disruptionCount = planStrikes(options).length;
  console.log(
    `Seed ${options.seed}: ${disruptionCount} disruptions in ${options.forMs / 60_000} minutes, database ${options.database}.`,
  );
  const startedAt = Date.now();
  const outcome = await torture(options);
  await mkdir(join(report, '..'), { recursive: true });
  const text = reportOf(options, outcome, Date.now() - startedAt);
  await writeFile(report, text);
  console.log(text);
  return outcome.journal.failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
