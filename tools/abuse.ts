// `npm run abuse [-- KIND… --seconds N --rounds N --write --list]` sends the worst requests of strangers to the built service, next
// to another caller. Exits with 1 if a kind costs more than its bound.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Kind } from './abuse/kind.ts';
import { KINDS } from './abuse/kinds/all.ts';
import { type Outcome, violationsIn } from './abuse/measure.ts';
import { printed, tableOf } from './abuse/report.ts';
import { abuse } from './abuse/run.ts';
import { stopAll } from './bench/core/processes.ts';
import { freshBundle } from './build.mjs';
import { withPart } from './docs-tables.ts';

const MOST_SECONDS = 60;
const MOST_ROUNDS = 10;
const GUIDE = 'docs/abuse.md';

function optionsOf(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
    throw new Error(`--seconds must be a number above 0 and at most ${MOST_SECONDS}.`);
  }
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= MOST_ROUNDS)) {
    throw new Error(`--rounds must be a whole number from 1 to ${MOST_ROUNDS}.`);
  }
  return { seconds, rounds, write: values.write, list: values.list, kinds: chosen(positionals) };
}

function chosen(names: readonly string[]): readonly Kind[] {
  const unknown = names.filter((name) => KINDS.every((kind) => kind.name !== name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. --list prints the names.`);
  return names.length > 0 ? KINDS.filter(({ name }) => names.includes(name)) : KINDS;
}

async function main(): Promise<number> {
  const { seconds, rounds, write, list, kinds } = optionsOf(process.argv.slice(2));
  if (list) {
    for (const { name, about } of kinds) console.log(`${name.padEnd(20)} ${about}`);
    return 0;
  }
  await freshBundle('main.js');
  const outcomes = await abuse({
    kinds,
    seconds,
    rounds,
    databaseUrl: process.env.ABUSE_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres',
    redisUrl: process.env.ABUSE_REDIS_URL || undefined,
    onOutcome: (outcome) => console.log(printed(outcome)),
  });
  const failed = outcomes.filter((outcome) => violationsIn(outcome).length > 0);
  if (write) writeGuide(outcomes);
  console.log(`${outcomes.length - failed.length} of ${outcomes.length} kinds are within their bounds.`);
  if (failed.length > 0) console.log(`Over: ${failed.map(({ kind }) => kind).join(', ')}`);
  return failed.length > 0 ? 1 : 0;
}

function writeGuide(outcomes: readonly Outcome[]): void {
  const file = join(import.meta.dirname, '..', GUIDE);
  const guide = readFileSync(file, 'utf8');
  const names = KINDS.map(({ name }) => name);
  const text = tableOf(names, outcomes, guide);
  const part = { path: GUIDE, name: 'abuse', text, command: 'npm run abuse' };
  writeFileSync(file, withPart(guide, part));
}

// `abuse` removes its databases when the process that it measures has ended.
process.once('SIGINT', () => void stopAll());

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
