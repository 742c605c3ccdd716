import { availableParallelism } from 'node:os';
import { BOUNDS, type Measure } from './bounds.ts';
import type { Outcome } from './measure.ts';
import { PROBES } from './witness.ts';

const MEASURES = Object.keys(BOUNDS) as Measure[];

/** The lines of the console. */
export function printed({ kind, seconds, numbers, before, during, results, violations }: Outcome): string {
  const values = MEASURES.map(
    (measure) => `${BOUNDS[measure].title} ${numbers[measure].toFixed(BOUNDS[measure].digits)}`,
  );
  const probes = PROBES.map((probe) => `${probe} ${before[probe].toFixed(0)}→${during[probe].toFixed(0)}`);
  const responses = [...results].map(([result, count]) => `${result}×${count}`);
  return [
    `${violations.length ? 'FAIL' : 'ok  '} ${kind}, ${seconds} s: ${values.join(', ')}`,
    `     another caller's p95 in ms: ${probes.join(', ')}; responses: ${responses.join(' ') || 'none'}`,
    ...violations.map((violation) => `     - ${violation}`),
  ].join('\n');
}

/** The table of the guide. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const header = [
    'kind',
    's',
    ...MEASURES.map((measure) => BOUNDS[measure].title),
    ...PROBES.map((probe) => `p95 ms: ${probe}`),
  ];
  const rows = outcomes.map(({ kind, seconds, numbers, before, during, violations }) => [
    `\`${kind}\`${violations.length ? ' (exceeds a bound)' : ''}`,
    String(seconds),
    ...MEASURES.map((measure) => numbers[measure].toFixed(BOUNDS[measure].digits)),
    ...PROBES.map((probe) => `${before[probe].toFixed(0)} → ${during[probe].toFixed(0)}`),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const cores = availableParallelism();
  const machine = `The column "s" is the duration of the attack. The machine had ${cores} virtual ${cores === 1 ? 'core' : 'cores'}, which PostgreSQL, the attacker and the other caller shared.`;
  return `${machine}\n\n${line(header)}${line(header.map(() => '---'))}${rows.map(line).join('')}`;
}
