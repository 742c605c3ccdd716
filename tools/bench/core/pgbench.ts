import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchDatabase } from './database.ts';
import { ROOT, startSource } from './processes.ts';
import { IDS, TIMESTAMP, UUID } from './recorded-values.ts';
import type { Sample } from './statistics.ts';
import { CONTINUE, JSON_BY_KEY, PATH, START } from './turns.ts';

// The baseline of a turn: pgbench runs the recorded statements of the service, so the baseline follows the code.

/** A recorded statement. */
interface SentStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** The statements of two turns of the first of these conversations. */
export interface RecordedTurn {
  readonly one: readonly SentStatement[];
  readonly other: readonly SentStatement[];
  readonly conversationIds: readonly string[];
}

/** The statements of one continued turn, for pgbench and for `express-turns`. */
export interface TurnBaseline extends RecordedTurn {
  /** Runs them on this many connections (at most 32), each with its own conversation. */
  run(concurrency: number, durationMs: number): Promise<Sample>;
}

/** More connections do not make it faster, and a server accepts a hundred. */
const MOST_CONNECTIONS = 32;

/** One for each client of the highest concurrency. A conversation has one turn at a time. */
const CONVERSATIONS = 64;

/** Records the statements of a continue, and starts the conversations of the baseline. */
export async function recordContinue(database: BenchDatabase): Promise<TurnBaseline> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'statements.jsonl');
  writeFileSync(file, '');
  const env = { DATABASE_URL: database.url, RECORD_STATEMENTS: file };
  // The bundle contains its own copy of the driver, which the recorder cannot change.
  const service = await startSource(env, ['--import', join(ROOT, 'dist/bench/record-statements.js')]);
  const send = async (body: string | undefined) => {
    const response = await fetch(service.url + PATH, { method: 'POST', headers: JSON_BY_KEY, body: body ?? '' });
    return (await response.json()) as { readonly conversation_id: string };
  };
  const ids: string[] = [];
  for (let count = 0; count < CONVERSATIONS; count += 1) ids.push((await send(START.body)).conversation_id);
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
  if (one.length !== other.length || one.length === 0) throw new Error('Two turns differ in their statements');
  return {
    ...{ one, other, conversationIds: ids },
    run: (concurrency, durationMs) =>
      runScripts(database, one, other, ids.slice(0, Math.min(concurrency, MOST_CONNECTIONS)), durationMs),
  };
}

/** The statements that the response waits for. Wake-ups of other processes run separately, for many turns at once. */
function statementsIn(file: string): SentStatement[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as SentStatement).filter(({ text }) => !text.includes('pg_notify('));
}

async function runScripts(
  database: BenchDatabase,
  one: readonly SentStatement[],
  other: readonly SentStatement[],
  ids: readonly string[],
  durationMs: number,
): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const script = join(folder, 'continue.sql');
  const { sql, values } = scriptOf(one, other);
  writeFileSync(script, sql);
  // Processes that start one after another overlap for most of the time.
  const seconds = String(Math.max(2, Math.round(durationMs / 1_000)));
  const [recorded = ''] = ids;
  const start = (id: string) => {
    const own = Object.entries(values).map(([name, value]) => [name, value.replaceAll(recorded, id)]);
    const input = own.flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    // Processes that start in the same microsecond would make the same IDs: the default seed is the time.
    const seed = '--random-seed=rand';
    const options = ['-n', seed, '-M', 'prepared', '-c', '1', '-T', seconds, '-f', script, ...input];
    return promisify(execFile)(pgbench(), [...options, '-d', database.url]);
  };
  const before = await turnsOf(database);
  const outputs = await Promise.all(ids.map(start));
  rmSync(folder, { recursive: true });
  const executed = outputs.reduce(
    (sum, { stdout }) => sum + match(stdout, /transactions actually processed: (\d+)/),
    0,
  );
  const ended = (await turnsOf(database)) - before;
  if (ended !== executed)
    throw new Error(`pgbench ran ${executed} turns, but only ${ended} of them ended like those of the service`);
  const perSecond = outputs.reduce((sum, { stdout }) => sum + match(stdout, /^tps = ([\d.]+)/m), 0);
  const latencies = outputs.map(({ stdout }) => match(stdout, /^latency average = ([\d.]+)/m));
  return { perSecond, average: latencies.reduce((sum, value) => sum + value, 0) / latencies.length };
}

/** The baseline is valid only if its statements have the same effect as those of the service. */
async function turnsOf(database: BenchDatabase): Promise<number> {
  const { rows } = await database.query(`SELECT count(*) FROM run WHERE status = 'completed'`);
  return Number(rows[0]?.count);
}

/**
 * The statements in pgbench's syntax. Values that two turns of one conversation share stay constant. Generated IDs
 * become random, also inside of arrays and JSON, and timestamps become the current time.
 */
function scriptOf(one: readonly SentStatement[], other: readonly SentStatement[]) {
  const values: Record<string, string> = {};
  const created = new Map<string, string>();
  const constant = (name: string, value: string): string => {
    values[name] = value;
    return `:${name}`;
  };
  const randomId = (id: string): string => {
    if (!created.has(id)) created.set(id, `made_${created.size}`);
    const digits = `:${created.get(id)}::text`;
    if (UUID.test(id)) return `'00000000-0000-4000-8000-' || lpad(${digits}, 12, '0')`;
    return `'${id.split('_')[0]}_' || lpad(${digits}, 26, '0')`;
  };
  const expression = (value: string | null, next: string | null, name: string): string => {
    if (value === null) return 'NULL';
    if (TIMESTAMP.test(value) && value !== next) return 'now()';
    if (value === next || !IDS.test(value)) return constant(name, value);
    // The odd parts are IDs. An ID that both turns have belongs to the conversation.
    const parts = value.split(IDS).map((part, index) => {
      const isNew = index % 2 === 1 && !next?.includes(part);
      return isNew ? randomId(part) : part && `${constant(`${name}_${index}`, part)}::text`;
    });
    const text = `(${parts.filter(Boolean).join(' || ')})`;
    return new RegExp(`^${UUID.source}$`).test(value) ? `${text}::uuid` : text;
  };
  const statements = one.map(({ text, values: sent }, number) => {
    const next = other[number]?.values ?? [];
    const filled = sent.map((value, index) => expression(value, next[index] ?? null, `v${number}_${index + 1}`));
    return `${text.replace(/\$(\d+)/g, (_, index: string) => filled[Number(index) - 1] ?? 'NULL')};`;
  });
  const sets = [...created.values()].map((name) => `\\set ${name} random(1, 999999999999)`);
  return { sql: [...sets, ...statements, ''].join('\n'), values };
}

function match(output: string, pattern: RegExp): number {
  const value = pattern.exec(output)?.[1];
  if (value === undefined) throw new Error(`pgbench printed:\n${output}`);
  return Number(value);
}

/** Debian's location, or the one in PATH. */
function pgbench(): string {
  const folder = '/usr/lib/postgresql';
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : [];
  const paths = versions.map((version) => join(folder, version, 'bin/pgbench'));
  return paths.find((path) => existsSync(path)) ?? 'pgbench';
}
