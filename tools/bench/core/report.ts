import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes.ts';
import type { Column, Goal, Result, Table } from './results.ts';
import type { Figure } from './statistics.ts';

const FOLDER = join(ROOT, 'test/bench');

/** Writes `test/bench/RESULTS.md` from the stored results and the notes next to it. */
export function writeReport(results: readonly Result[]): void {
  const notes = join(FOLDER, 'notes.md');
  const parts = [
    '# Measurements',
    '`npm run bench` writes this file from `results/`. Figures are medians over the rounds, with the minimum and the maximum in parentheses. The variants of' +
      ' one table were measured in turn. Ratios compare measurements of the same round. CPU is the time of the' +
      ' measured process, user and system. The service is `node dist/main.js` with `LOG_LEVEL=info` and `NODE_ENV=production`, and its log is a pipe that is' +
      ' read. The service, its baselines and the load client are separate processes on one machine.',
    runs(results),
    '## Goals',
    goals(results),
    ...results.flatMap(section),
    ...(existsSync(notes) ? [readFileSync(notes, 'utf8').trim()] : []),
  ];
  writeFileSync(join(FOLDER, 'RESULTS.md'), `${parts.join('\n\n')}\n`);
}

/** The result of one run for the terminal. */
export function printed(result: Result): string {
  return [...section(result), ...(result.goals.length > 0 ? [goals([result])] : [])].join('\n\n');
}

function runs(results: readonly Result[]): string {
  const rows = results.map(({ bench, node, postgres, machine, on, load }) => [
    bench,
    node,
    postgres,
    machine,
    on,
    number(load, 1),
  ]);
  return grid(['', 'Node', 'PostgreSQL', 'machine', 'on', 'load before'], rows);
}

function section({ bench, about, tables }: Result): string[] {
  const parts = tables.flatMap((table) => {
    const heads = ['', ...table.columns.map((column) => column.title)];
    return [`### ${table.title}`, grid(heads, rowsOf(table))];
  });
  return [`## ${bench}`, about, ...parts];
}

function rowsOf({ rows, columns }: Table): string[][] {
  return rows.map(({ name, figures }) => [name, ...columns.map((column) => cell(figures[column.key], column))]);
}

function cell(figure: Figure | undefined, { digits }: Column): string {
  // JSON stores missing measurements as null.
  if (!figure || ![figure.median, figure.least, figure.most].every(Number.isFinite)) return '–';
  const [median, least, most] = [figure.median, figure.least, figure.most].map((value) => number(value, digits));
  return least === most ? `${median}` : `${median} (${least}–${most})`;
}

function goals(results: readonly Result[]): string {
  const rows = results.flatMap((result) => result.goals.map(goalRow));
  return grid(['goal', 'limit', 'measured', ''], rows);
}

function goalRow({ description, limit, is, unit, measured }: Goal): string[] {
  const digits = limit < 10 ? 2 : 0;
  const reached = is === 'at most' ? measured.median <= limit : measured.median >= limit;
  const away = (measured.median / limit).toFixed(2);
  return [
    description,
    `${is} ${number(limit, digits)} ${unit}`,
    cell(measured, { key: '', title: '', digits }),
    reached ? 'reached' : `not reached: ${away} times the limit`,
  ];
}

function number(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
