import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { postgresVersion } from './database.ts';
import { ROOT } from './processes.ts';
import type { Figure } from './statistics.ts';

/** A column of a table; its unit stands in its head. */
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

/** What is aimed at, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly limit: number;
  readonly is: 'at most' | 'at least';
  readonly unit: string;
  readonly measured: Figure;
}

/** What a measurement gives. */
export interface Findings {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

/** A measurement: a file of `tools/bench` exports it as `bench`. */
export interface Bench {
  /** What is measured against what, in a sentence or two, for the report. */
  readonly about: string;
  run(): Promise<Findings>;
}

/** What is kept of a run. */
export interface Result extends Findings {
  readonly bench: string;
  readonly about: string;
  readonly node: string;
  readonly postgres: string;
  readonly machine: string;
  readonly on: string;
  /** Processes that wanted a core in the minute before it began: what else the machine did. */
  readonly load: number;
}

const FOLDER = join(ROOT, 'test/bench/results');

export async function measured(name: string, { about, run }: Bench): Promise<Result> {
  const [load = Number.NaN] = loadavg();
  const findings = await run();
  const [cpu] = cpus();
  const machine = `${cpu?.model.trim() || 'unknown CPU'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const on = new Date().toISOString().slice(0, 10);
  const postgres = await postgresVersion();
  return { bench: name, about, node: process.version, postgres, machine, on, load, ...findings };
}

/** Keeps a run in place of the one before, one for each measurement and major version of Node. */
export function keep(result: Result): void {
  mkdirSync(FOLDER, { recursive: true });
  const [major] = result.node.slice(1).split('.');
  writeFileSync(join(FOLDER, `${result.bench}.node${major}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** Everything that is kept, the newest Node first. */
export function keptResults(): Result[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  const results = files.map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Result);
  return results.sort((a, b) => b.node.localeCompare(a.node, 'en', { numeric: true }));
}
