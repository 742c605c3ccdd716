// `npm run torture -- --minutes 20 --seed 7` runs three processes under load with kills, pauses and disconnections.
// Then it compares every response with the stored data. Exits with 1 after a violation.
// `-- --takeover 1000` measures how long one process needs to continue the turns of a process that died.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RECOVERY_MODES } from '../src/contract/statuses.ts';
import { freshBundle } from './build.mjs';

process.env.TEST_DATABASE_URL = process.env.TORTURE_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';
// The test support reads the location of databases when it is loaded.
const { torture } = await import('./torture/run.ts');
const { checks, measurements, reportOf } = await import('./torture/report.ts');
const { planDisruptions: planStrikes } = await import('./torture/plan.ts');
const { takeover, takeoverReport } = await import('./torture/takeover.ts');

const MOST_MINUTES = 240;
const DATABASES = ['postgres', 'embedded'] as const;
const REPORT_FOLDER = join(import.meta.dirname, '../test/torture');

/** The turns of `--takeover`. */
const MOST_TURNS = 10_000;
const SWITCH = ['on', 'off'] as const;
const REPORTS = { settle: 'REPORT.md', continue: 'REPORT-continue.md' } as const;

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
      database: { type: 'string', default: 'postgres' },
      redis: { type: 'string' },
      recovery: { type: 'string', default: 'settle' },
      report: { type: 'string' },
      takeover: { type: 'string' },
    },
  });
  if (values.takeover !== undefined) {
    const turns = Number(values.takeover);
    if (!(Number.isSafeInteger(turns) && turns >= 1 && turns <= MOST_TURNS))
      throw new Error(`--takeover must be a whole number from 1 to ${MOST_TURNS}.`);
    return { turns, report: values.report ?? join(REPORT_FOLDER, 'REPORT-takeover.md') };
  }
  const { database, recovery } = values;
  const redis = values.redis ?? (database === 'postgres' ? 'on' : 'off');
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && minutes <= MOST_MINUTES))
    throw new Error(`--minutes must be a number above 0 and at most ${MOST_MINUTES}.`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  requireOneOf(DATABASES, database, '--database');
  requireOneOf(SWITCH, redis, '--redis');
  requireOneOf(RECOVERY_MODES, recovery, '--recovery');
  if (database === 'embedded' && (redis === 'on' || recovery === 'continue'))
    throw new Error(
      '--redis on and --recovery continue need --database postgres, because the embedded database allows one process.',
    );
  const report = values.report ?? join(REPORT_FOLDER, REPORTS[recovery]);
  return { options: { database, seed, forMs: minutes * 60_000, redis: redis === 'on', recovery }, report };
}

function requireOneOf<T extends string>(words: readonly T[], word: string, option: string): asserts word is T {
  if (!(words as readonly string[]).includes(word)) throw new Error(`${option} must be ${words.join(' or ')}.`);
}

async function main(): Promise<number> {
  const { options, turns, report } = optionsOf(process.argv.slice(2));
  await freshBundle('main.js');
  if (!options) return takeOver(turns, report);
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

async function takeOver(turns: number, report: string): Promise<number> {
  const outcome = await takeover(turns);
  const text = takeoverReport(outcome, [...measurements(outcome.journal), ...checks(outcome.journal)]);
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
