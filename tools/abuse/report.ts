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

/** The table of the guide. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const header = [
    'kind',
    's',
    ...MEASURES.map((measure) => BOUNDS[measure].title),
    ...PROBES.map((probe) => `p95 ms: ${probe}`),
  ];
  const rows = outcomes.map(rowOf);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const cores = availableParallelism();
  const machine = `The column "s" is the duration of the attack. The machine had ${cores} virtual ${cores === 1 ? 'core' : 'cores'}, which PostgreSQL, the attacker and the other caller shared.`;
  return `${machine}\n\n${line(header)}${line(header.map(() => '---'))}${rows.map(line).join('')}`;
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
