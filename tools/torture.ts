// `npm run torture -- --minutes 20 --seed 7`: three processes under load, killed, stopped and cut off again and again; then
// everything that clients were told is held against what is there. Ends with 1 where it finds a violation.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freshBundle } from './build.mjs';

process.env.TEST_DATABASE_URL = process.env.TORTURE_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';
// Where tests make their databases is read when their support is loaded.
const { torture } = await import('./torture/run.ts');
const { reportOf } = await import('./torture/report.ts');
const { planStrikes } = await import('./torture/plan.ts');

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
  if (!(minutes > 0 && minutes <= MOST_MINUTES)) throw new Error(`--minutes is a number up to ${MOST_MINUTES}.`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number.');
  if (database !== 'postgres' && database !== 'embedded') throw new Error('--database is postgres or embedded.');
  if (redis !== 'on' && redis !== 'off') throw new Error('--redis is on or off.');
  if (redis === 'on' && database === 'embedded') throw new Error('The embedded database has one process: no Redis.');
  return { options: { database, seed, forMs: minutes * 60_000, redis: redis === 'on' } as const, report };
}

async function main(): Promise<number> {
  const { options, report } = optionsOf(process.argv.slice(2));
  await freshBundle('main.js');
  const planned = planStrikes(options).length;
  console.log(
    `Seed ${options.seed}: ${planned} strikes in ${options.forMs / 60_000} minutes, database ${options.database}.`,
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
