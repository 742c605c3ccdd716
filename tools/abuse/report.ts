import { availableParallelism } from 'node:os';
import { BOUNDS, type Measure } from './bounds.ts';
import { type Outcome, violationsIn } from './measure.ts';
import { PROBES } from './witness.ts';

const MEASURES = Object.keys(BOUNDS) as Measure[];

/** The lines of the console. */
export function printed(outcome: Outcome): string {
  const { kind, seconds, numbers, probes, results } = outcome;
  const violations = violationsIn(outcome);
  const values = MEASURES.map(
    (measure) => `${BOUNDS[measure].title} ${numbers[measure].toFixed(BOUNDS[measure].digits)}`,
  );
  const { before, during } = probes;
  const delays = PROBES.map((probe) => `${probe} ${before.p95[probe].toFixed(0)}→${during.p95[probe].toFixed(0)}`);
  const responses = [...results].map(([result, count]) => `${result}×${count}`);
  return [
    `${violations.length ? 'FAIL' : 'ok  '} ${kind}, ${seconds} s: ${values.join(', ')}`,
    `     another caller's p95 in ms: ${delays.join(', ')}; responses: ${responses.join(' ') || 'none'}`,
    ...violations.map((violation) => `     - ${violation}`),
  ].join('\n');
}

/** The table of the guide. Kinds that were not measured keep their line of `guide`. */
export function tableOf(kinds: readonly string[], outcomes: readonly Outcome[], guide: string): string {
  const header = [
    'kind',
    's',
    ...MEASURES.map((measure) => BOUNDS[measure].title),
    ...PROBES.map((probe) => `p95 ms: ${probe}`),
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const rows = kinds.map((name) => {
    const outcome = outcomes.find(({ kind }) => kind === name);
    return outcome ? line(rowOf(outcome)) : earlierRow(name, header.length, guide);
  });
  const cores = availableParallelism();
  const machine = `The column "s" is the duration of the attack. The machine had ${cores} virtual ${cores === 1 ? 'core' : 'cores'}, which PostgreSQL, the attacker and the other caller shared.`;
  return `${machine}\n\n${line(header)}${line(header.map(() => '---'))}${rows.join('')}`;
}

/** The line of a kind in the table. Its lines have as many cells as the header, unlike those of other tables. */
function earlierRow(name: string, cells: number, guide: string): string {
  const lines = guide.split('\n').filter((line) => line.startsWith(`| \`${name}\``));
  const row = lines.find((line) => line.split(' | ').length === cells);
  if (row === undefined) throw new Error(`The table has no numbers of ${name} yet. Measure this kind, too.`);
  return `${row}\n`;
}

function rowOf(outcome: Outcome): string[] {
  const { kind, seconds, numbers, probes } = outcome;
  const { before, during } = probes;
  return [
    `\`${kind}\`${violationsIn(outcome).length ? ' (exceeds a bound)' : ''}`,
    String(seconds),
    ...MEASURES.map((measure) => numbers[measure].toFixed(BOUNDS[measure].digits)),
    ...PROBES.map((probe) => `${before.p95[probe].toFixed(0)} → ${during.p95[probe].toFixed(0)}`),
  ];
}
