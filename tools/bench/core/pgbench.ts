import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchDatabase } from './database.ts';
import { ROOT, startService } from './processes.ts';
import type { Sample } from './statistics.ts';
import { CONTINUE, JSON_BY_KEY, PATH, START } from './turns.ts';

// The floor of a turn: its own statements, as the service was seen to send them, run by pgbench. So the floor follows the code.

/** A statement as it was sent. */
interface Sent {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** The statements of one continued turn, to be run by pgbench. */
export interface Floor {
  /** Runs it on so many connections, 32 at most, each with a conversation of its own. */
  run(concurrency: number, durationMs: number): Promise<Sample>;
}

/** More connections make it no faster, and a server takes a hundred. */
const MOST_CONNECTIONS = 32;

/** Watches the service go on with a conversation of this database, and starts those that the floor goes on with. */
export async function recordContinue(database: BenchDatabase): Promise<Floor> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'statements.jsonl');
  writeFileSync(file, '');
  const env = { DATABASE_URL: database.url, RECORD_STATEMENTS: file };
  const service = await startService(env, ['--import', join(ROOT, 'dist/bench/record-statements.js')]);
  const send = async (body: string | undefined) => {
    const answer = await fetch(service.url + PATH, { method: 'POST', headers: JSON_BY_KEY, body: body ?? '' });
    return (await answer.json()) as { readonly conversation_id: string };
  };
  const ids: string[] = [];
  for (let count = 0; count < MOST_CONNECTIONS; count += 1) ids.push((await send(START.body)).conversation_id);
  const [id = ''] = ids;
  const record = async () => {
    writeFileSync(file, '');
    await send(CONTINUE.body?.replace('$conversation_id', id));
    return statementsIn(file);
  };
  await record();
  const [one, other] = [await record(), await record()];
  await service.stop();
  rmSync(folder, { recursive: true });
  if (one.length !== other.length || one.length === 0) throw new Error('two turns differ in their statements');
  return { run: (concurrency, durationMs) => runScripts(database, one, other, ids.slice(0, concurrency), durationMs) };
}

/** What the answer waited for. Wake-ups of other processes are sent beside turns, for many of them at once. */
function statementsIn(file: string): Sent[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Sent).filter(({ text }) => !text.includes('pg_notify('));
}

async function runScripts(
  database: BenchDatabase,
  one: readonly Sent[],
  other: readonly Sent[],
  ids: readonly string[],
  durationMs: number,
): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const script = join(folder, 'continue.sql');
  const { sql, values } = scriptOf(one, other);
  writeFileSync(script, sql);
  // Processes that start one after another run beside each other for most of it.
  const seconds = String(Math.max(2, Math.round(durationMs / 1_000)));
  const [recorded = ''] = ids;
  const start = (id: string) => {
    const own = Object.entries(values).map(([name, value]) => [name, value.replaceAll(recorded, id)]);
    const given = own.flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    const how = ['-n', '-M', 'prepared', '-c', '1', '-T', seconds, '-f', script, ...given];
    return promisify(execFile)(pgbench(), [...how, '-d', database.url]);
  };
  const before = await turnsOf(database);
  const outputs = await Promise.all(ids.map(start));
  rmSync(folder, { recursive: true });
  const ran = outputs.reduce((sum, { stdout }) => sum + found(stdout, /transactions actually processed: (\d+)/), 0);
  const ended = (await turnsOf(database)) - before;
  if (ended !== ran) throw new Error(`pgbench ran ${ran} turns, of which ${ended} ended as the service's do`);
  const perSecond = outputs.reduce((sum, { stdout }) => sum + found(stdout, /^tps = ([\d.]+)/m), 0);
  const latencies = outputs.map(({ stdout }) => found(stdout, /^latency average = ([\d.]+)/m));
  return { perSecond, average: latencies.reduce((sum, value) => sum + value, 0) / latencies.length };
}

/** A floor counts only where its statements did what they do for the service. */
async function turnsOf(database: BenchDatabase): Promise<number> {
  const { rows } = await database.query(`SELECT count(*) FROM run WHERE status = 'completed'`);
  return Number(rows[0]?.count);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;

/**
 * The statements as pgbench reads them. What two turns of one conversation have in common stays as it was sent; ids that
 * a turn makes are made anew, its moments are now.
 */
function scriptOf(one: readonly Sent[], other: readonly Sent[]) {
  const values: Record<string, string> = {};
  const made = new Map<string, string>();
  const expressions = (value: string | null, changed: boolean, name: string): string => {
    if (value === null) return 'NULL';
    if (changed && UUID.test(value)) {
      if (!made.has(value)) made.set(value, `made_${made.size}`);
      return `('00000000-0000-4000-8000-' || lpad(:${made.get(value)}::text, 12, '0'))::uuid`;
    }
    if (changed && MOMENT.test(value)) return 'now()';
    values[name] = value;
    return `:${name}`;
  };
  const statements = one.map(({ text, values: sent }, number) => {
    const now = other[number]?.values ?? [];
    const filled = sent.map((value, index) => expressions(value, value !== now[index], `v${number}_${index + 1}`));
    return `${text.replace(/\$(\d+)/g, (_, index: string) => filled[Number(index) - 1] ?? 'NULL')};`;
  });
  const sets = [...made.values()].map((name) => `\\set ${name} random(1, 999999999999)`);
  return { sql: [...sets, ...statements, ''].join('\n'), values };
}

function found(output: string, pattern: RegExp): number {
  const value = pattern.exec(output)?.[1];
  if (value === undefined) throw new Error(`pgbench said:\n${output}`);
  return Number(value);
}

/** Where Debian keeps it, else what the path has. */
function pgbench(): string {
  const folder = '/usr/lib/postgresql';
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : [];
  const paths = versions.map((version) => join(folder, version, 'bin/pgbench'));
  return paths.find((path) => existsSync(path)) ?? 'pgbench';
}
