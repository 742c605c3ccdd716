import { ASSUMPTIONS, type Assumptions, type Measured, type Needs, needsOf, readMeasured } from './scale-model.ts';

const SIZES = [100, 10_000, 1_000_000];

const MEASURED: Readonly<Record<keyof Measured, readonly [meaning: string, digits: number]>> = {
  turnMs: ['CPU of a turn in Parley, without its tokens, ms', 2],
  readUs: ['CPU to read a token of a provider, µs', 1],
  sendUs: ['CPU to send a token to a client, µs', 1],
  databaseMs: ['CPU of a turn in PostgreSQL, ms', 2],
  walKb: ['WAL of a turn, kB, without full-page images', 1],
  rows: ['rows that a turn inserts or updates', 0],
  storedKb: ['data and indexes that a turn adds, kB', 1],
  processMb: ['memory of a process under load, MB', 0],
  feedKb: ['memory of an open feed, kB', 1],
};

const GIVEN: Readonly<Record<keyof Assumptions, string>> = {
  secondsPerTurn: 'seconds from one message of a conversation to the next',
  tokensPerReply: 'tokens of a reply',
  streamed: 'share of conversations whose client follows the reply, 0 to 1',
  utilization: 'used share of a core, on average',
  poolSize: 'connections of a process (`DATABASE_POOL_SIZE`)',
  serverCores: 'cores of one PostgreSQL server',
  retentionDays: 'days for which conversations are kept',
  corePrice: 'price of a core, per month',
  memoryGbPrice: 'price of a GB of memory, per month',
  diskGbPrice: 'price of a GB of disk, per month',
};

const NEEDS: Readonly<Record<keyof Needs, readonly [meaning: string, digits: number]>> = {
  turnsPerSecond: ['turns/s', 1],
  parleyCores: ['busy cores of Parley', 2],
  processes: ['processes of Parley', 0],
  memoryGb: ['memory of Parley, GB', 1],
  connections: ['connections to PostgreSQL', 0],
  databaseCores: ['busy cores of PostgreSQL', 2],
  servers: ['PostgreSQL servers', 0],
  rowsPerSecond: ['rows written/s', 0],
  walMbPerSecond: ['WAL, MB/s', 2],
  storedGbPerDay: ['new data, GB/day', 1],
  pricePerMonth: ['price per month', 0],
};

const format = (value: number, digits: number) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;

const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[];

/** The measured figures, the assumptions and the needs, as tables. */
export function scaleTables(root: string, given: Assumptions = ASSUMPTIONS): string {
  const measured = readMeasured(root);
  const needs = SIZES.map((size) => needsOf(size, given, measured));
  const inputs = [
    ...keysOf(MEASURED).map((key) => [
      `\`${key}\``,
      MEASURED[key][0],
      format(measured[key], MEASURED[key][1]),
      'measured',
    ]),
    ...keysOf(GIVEN).map((key) => [`\`${key}\``, GIVEN[key], String(given[key]), 'assumed']),
  ];
  const rows = keysOf(NEEDS).map((key) => [NEEDS[key][0], ...needs.map((one) => format(one[key], NEEDS[key][1]))]);
  const table = (head: readonly string[], body: readonly (readonly string[])[]) =>
    line(head) + line(head.map(() => '---')) + body.map(line).join('');
  const conversations = SIZES.map((size) => `${format(size, 0)} conversations`);
  return `${table(['name', 'meaning', 'value', ''], inputs)}\n${table(['', ...conversations], rows)}`;
}
