import { BOUNDS, boundOf, type Measure, OTHER_CALLER } from './bounds.ts';
import { type Latencies, PROBES } from './witness.ts';

type Numbers = Readonly<Record<Measure, number>>;

/** The bounds that a kind exceeds, in words. */
export function violationsOf(kind: string, numbers: Numbers, before: Latencies, during: Latencies): string[] {
  return [...numberViolations(kind, numbers), ...failuresOf(during), ...slowProbes(before, during)];
}

/** The violations that depend on how busy the machine is, or on a burst at the start of a short attack. */
export function timingViolations(kind: string, numbers: Numbers, before: Latencies, during: Latencies): string[] {
  return [...numberViolations(kind, numbers, ['cpuSeconds', 'delayMs']), ...slowProbes(before, during)];
}

const MEASURES = Object.keys(BOUNDS) as Measure[];

function numberViolations(kind: string, numbers: Numbers, measures: readonly Measure[] = MEASURES): string[] {
  return measures.flatMap((measure) => {
    const { limit } = boundOf(kind, measure);
    const { title, digits } = BOUNDS[measure];
    return numbers[measure] <= limit ? [] : [`${title}: ${numbers[measure].toFixed(digits)} exceeds ${limit}`];
  });
}

/** Whether a latency is within the bound for the latency before. */
export function isBearable(beforeMs: number, duringMs: number): boolean {
  return duringMs <= beforeMs * OTHER_CALLER.factor + OTHER_CALLER.allowanceMs;
}

function slowProbes(before: Latencies, during: Latencies): string[] {
  const slow = PROBES.filter((probe) => !isBearable(before.p95[probe], during.p95[probe]));
  return slow.map((probe) => `p95 of another caller's ${probe}: ${ms(before.p95[probe])} → ${ms(during.p95[probe])}`);
}

function failuresOf({ failures }: Latencies): string[] {
  const [failure] = failures;
  return failure ? [`${failures.length} requests of another caller failed: ${failure}`] : [];
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
