import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result, Row } from './bench/core/results.ts';
import type { Figure } from './bench/core/statistics.ts';

/** What a reader of docs/scale.md replaces with own figures. */
export interface Assumptions {
  /** The time from one message of a conversation to the next. */
  readonly secondsPerTurn: number;
  readonly tokensPerReply: number;
  /** The share of conversations whose client follows the reply token by token, 0 to 1. */
  readonly streamed: number;
  /** The share of a core that is used on average. The rest is for peaks. */
  readonly utilization: number;
  /** `DATABASE_POOL_SIZE`. */
  readonly poolSize: number;
  /** Of one PostgreSQL server. */
  readonly serverCores: number;
  /** How long conversations are kept. */
  readonly retentionDays: number;
  /** Prices per month, in any currency. */
  readonly corePrice: number;
  readonly memoryGbPrice: number;
  readonly diskGbPrice: number;
}

export const ASSUMPTIONS: Assumptions = {
  secondsPerTurn: 30,
  tokensPerReply: 300,
  streamed: 1,
  utilization: 0.6,
  poolSize: 10,
  serverCores: 32,
  retentionDays: 30,
  corePrice: 25,
  memoryGbPrice: 3,
  diskGbPrice: 0.12,
};

/** Measured costs, from `test/bench/results`. */
export interface Measured {
  /** CPU time of a turn in Parley, without the tokens of the reply. */
  readonly turnMs: number;
  /** CPU time to read a token of the provider. */
  readonly readUs: number;
  /** CPU time to send a token to a client. */
  readonly sendUs: number;
  /** CPU time of a turn in PostgreSQL. */
  readonly databaseMs: number;
  /** Without full-page images. */
  readonly walKb: number;
  readonly rows: number;
  readonly storedKb: number;
  /** Memory of a process under load. */
  readonly processMb: number;
  /** Memory of an open feed. */
  readonly feedKb: number;
}

export function readMeasured(root: string): Measured {
  const rowsOf = (bench: string, title: string): readonly Row[] => {
    const path = join(root, `test/bench/results/${bench}.json`);
    const { tables } = JSON.parse(readFileSync(path, 'utf8')) as Result;
    const table = tables.find((candidate) => candidate.title === title);
    if (!table) throw new Error(`${path} has no table "${title}".`);
    return table.rows;
  };
  const figureOf = (bench: string, title: string, row: string, key: string): Figure => {
    const figure = rowsOf(bench, title).find(({ name }) => name === row)?.figures[key];
    if (!figure) throw new Error(`The results of ${bench} have no ${key} of ${row} in "${title}".`);
    return figure;
  };
  const onServer = (row: string, key: string) => figureOf('scale', 'Turns on one PostgreSQL server', row, key);
  const replies = (tokens: string) =>
    figureOf(
      'provider-turn',
      `Continues, replies of a provider with ${tokens}, concurrency 16`,
      'chat completions',
      'cpuMs',
    );
  const streamed = '64 replies of a provider at 100 tokens a second, 300 tokens each';
  const turnMs = onServer('1 process', 'cpuMs').median;
  const readUs = ((replies('300 tokens').median - replies('1 token').median) * 1_000) / 299;
  // The figure of a streamed token contains its share of the turn.
  const streamedUs = figureOf('stream', streamed, 'chat completions', 'cpuUs').median;
  return {
    turnMs,
    readUs,
    sendUs: streamedUs - readUs - (turnMs * 1_000) / 300,
    databaseMs: onServer('4 processes', 'pgCpuMs').median,
    // The WAL is that of the whole server, so the least figure has the least of others.
    walKb: onServer('4 processes', 'walKb').least,
    rows: onServer('1 process', 'inserted').median + onServer('1 process', 'updated').median,
    storedKb: onServer('1 process', 'storedKb').median,
    processMb: Math.max(...rowsOf('memory', 'Memory of a process').map(({ figures }) => figures.rss?.most ?? 0)),
    feedKb: figureOf('fanout', '5,000 subscribers', 'the service', 'rss').median,
  };
}

/** What a number of concurrent conversations needs. */
export interface Needs {
  readonly turnsPerSecond: number;
  readonly parleyCores: number;
  readonly processes: number;
  readonly memoryGb: number;
  readonly connections: number;
  readonly databaseCores: number;
  readonly servers: number;
  readonly rowsPerSecond: number;
  readonly walMbPerSecond: number;
  readonly storedGbPerDay: number;
  readonly pricePerMonth: number;
}

/** The formulas of docs/scale.md. */
export function needsOf(conversations: number, given: Assumptions, measured: Measured): Needs {
  const turnsPerSecond = conversations / given.secondsPerTurn;
  const tokenUs = measured.readUs + given.streamed * measured.sendUs;
  const parleyCores = (turnsPerSecond * (measured.turnMs + (given.tokensPerReply * tokenUs) / 1_000)) / 1_000;
  const processes = Math.max(1, Math.ceil(parleyCores / given.utilization));
  const memoryGb =
    (processes * measured.processMb) / 1_024 + (conversations * given.streamed * measured.feedKb) / 1_024 ** 2;
  const databaseCores = (turnsPerSecond * measured.databaseMs) / 1_000;
  const servers = Math.max(1, Math.ceil(databaseCores / given.utilization / given.serverCores));
  const storedGbPerDay = (turnsPerSecond * 86_400 * measured.storedKb) / 1_024 ** 2;
  const cores = processes + Math.max(1, Math.ceil(databaseCores / given.utilization));
  return {
    turnsPerSecond,
    parleyCores,
    processes,
    memoryGb,
    connections: processes * (given.poolSize + 1),
    databaseCores,
    servers,
    rowsPerSecond: turnsPerSecond * measured.rows,
    walMbPerSecond: (turnsPerSecond * measured.walKb) / 1_024,
    storedGbPerDay,
    pricePerMonth:
      cores * given.corePrice +
      memoryGb * given.memoryGbPrice +
      storedGbPerDay * given.retentionDays * given.diskGbPrice,
  };
}
