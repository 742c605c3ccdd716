import { availableParallelism } from 'node:os';
import { BOUNDS, type Measure } from './bounds.ts';
import type { Outcome } from './measure.ts';
import { PROBES } from './witness.ts';

const MEASURES = Object.keys(BOUNDS) as Measure[];

/** The lines of the console. */
export function printed({ kind, numbers, before, during, results, violations }: Outcome): string {
  const values = MEASURES.map(
    (measure) => `${BOUNDS[measure].title} ${numbers[measure].toFixed(BOUNDS[measure].digits)}`,
  );
  const probes = PROBES.map((probe) => `${probe} ${before[probe].toFixed(0)}→${during[probe].toFixed(0)}`);
  const responses = [...results].map(([result, count]) => `${result}×${count}`);
  return [
    `${violations.length ? 'FAIL' : 'ok  '} ${kind}: ${values.join(', ')}`,
    `     another caller's p95 in ms: ${probes.join(', ')}; responses: ${responses.join(' ') || 'none'}`,
    ...violations.map((violation) => `     - ${violation}`),
  ].join('\n');
}

/** The table of the guide. */
export function tableOf(outcomes: readonly Outcome[], seconds: number): string {
  const header = [
    'kind',
    ...MEASURES.map((measure) => BOUNDS[measure].title),
    ...PROBES.map((probe) => `p95 ms: ${probe}`),
  ];
  const rows = outcomes.map(({ kind, numbers, before, during, violations }) => [
    `\`${kind}\`${violations.length ? ' (exceeds a bound)' : ''}`,
    ...MEASURES.map((measure) => numbers[measure].toFixed(BOUNDS[measure].digits)),
    ...PROBES.map((probe) => `${before[probe].toFixed(0)} → ${during[probe].toFixed(0)}`),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const cores = availableParallelism();
  const machine = `Each kind ran for ${seconds} s on a machine with ${cores} virtual ${cores === 1 ? 'core' : 'cores'}, which PostgreSQL, the attacker and the other caller share.`;
  return `${machine}\n\n${line(header)}${line(header.map(() => '---'))}${rows.map(line).join('')}`;
}
