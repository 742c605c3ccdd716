import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { describePostgres } from './database.ts';
import { ROOT } from './processes.ts';
import type { Figure } from './statistics.ts';

/** A column of a table. Its title contains the unit. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly digits: number;
}

export interface Row {
  readonly name: string;
  readonly figures: Readonly<Record<string, Figure | undefined>>;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A goal and its measured figure. */
export interface Goal {
  readonly description: string;
  readonly limit: number;
  readonly is: 'at most' | 'at least';
  readonly unit: string;
  readonly measured: Figure;
}

/** The results of a measurement. */
export interface Findings {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

/** A measurement. Each file of `tools/bench` exports one as `bench`. */
export interface Bench {
  /** One or two sentences for the report: the measured variants and their baseline. */
  readonly about: string;
  run(): Promise<Findings>;
}

/** The stored result of a run. */
export interface Result extends Findings {
  readonly bench: string;
  readonly about: string;
  readonly node: string;
  readonly postgres: string;
  readonly machine: string;
  readonly on: string;
  /** The load average of the minute before the start: other activity of the machine. */
  readonly load: number;
}

const FOLDER = join(ROOT, 'test/bench/results');

export async function runBench(name: string, { about, run }: Bench): Promise<Result> {
  const [load = Number.NaN] = loadavg();
  const findings = await run();
  const [cpu] = cpus();
  const machine = `${cpu?.model.trim() || 'unknown CPU'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const on = new Date().toISOString().slice(0, 10);
  const postgres = await describePostgres();
  return { bench: name, about, node: process.version, postgres, machine, on, load, ...findings };
}

/** Replaces the stored result of this measurement. */
export function storeResult(result: Result): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${result.bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** The latest result of each measurement. */
export function storedResults(): Result[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Result);
}
