import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf } from '../bench/core/cpu.ts';
import { rssOf } from '../bench/core/memory.ts';
import { KEY, type Target } from '../bench/core/processes.ts';
import { Attacker } from './attacker.ts';
import type { Measure } from './bounds.ts';
import { timingViolations, violationsOf } from './judge.ts';
import type { Kind, Site } from './kind.ts';
import { OTHER_DEPLOYMENT } from './site.ts';
import type { Store } from './stores.ts';
import type { Latencies, Witness } from './witness.ts';

/** What one kind costs. */
export interface Outcome {
  readonly kind: string;
  readonly numbers: Readonly<Record<Measure, number>>;
  /** The other caller, before and during the attack. */
  readonly probes: { readonly before: Latencies; readonly during: Latencies };
  /** The responses to the attacker by status. */
  readonly results: ReadonlyMap<string, number>;
  /** What failed apart from numbers. */
  readonly faults: readonly string[];
  /** Seconds that the attack lasted. */
  readonly seconds: number;
}

/** The faults of an outcome, and the bounds that it exceeds. */
export function violationsIn({ kind, numbers, probes, faults }: Outcome): string[] {
  return [...faults, ...violationsOf(kind, numbers, probes.before, probes.during)];
}

/** Whether only times are violations. A longer attack can show that the times are within their bounds. */
export function isOnlySlow(outcome: Outcome): boolean {
  const { kind, numbers, probes } = outcome;
  const timing = timingViolations(kind, numbers, probes.before, probes.during);
  return timing.length > 0 && timing.length === violationsIn(outcome).length;
}

/** The times of a longer attack, with the other numbers of the first one: the other caller adds to them every second. */
export function withTimesOf(longer: Outcome, { numbers }: Outcome): Outcome {
  const { cpuSeconds, delayMs } = longer.numbers;
  return { ...longer, numbers: { ...numbers, cpuSeconds, delayMs } };
}

interface Parts {
  readonly service: Target;
  readonly store: Store;
  readonly witness: Witness;
  readonly site: Site;
  /** The attacker's address, and the one of the other caller. */
  readonly addresses: { readonly attacker: string; readonly other: string };
  readonly ms: number;
}

const WARM_UP_MS = 4_000;
const SAMPLE_MS = 50;
const MIB = 2 ** 20;
/** How long the process may take to respond again after the attack. */
const RECOVERY_MS = 5_000;

/** Runs one kind next to the other caller, whose latency is measured right before. */
export async function measureKind(kind: Kind, parts: Parts): Promise<Outcome> {
  const { service, store, witness, addresses, ms } = parts;
  const order = { url: service.url, key: KEY, deploymentId: OTHER_DEPLOYMENT, address: addresses.other };
  // Compiles the code of both.
  await witness.measure({ ...order, ms: Math.min(ms, WARM_UP_MS) });
  const [alone, before] = await cpuOf(service, () => witness.measure({ ...order, ms: Math.max(1_000, ms / 2) }));
  const start = { size: await store.size(), ...(await witness.count()) };
  // A read resets the longest delay.
  await longestDelayMs(service);
  const memory = watchMemory(service);
  const attackOnce = () => attack(kind, parts, () => witness.measure({ ...order, ms }));
  const [both, { attacker, during, error }] = await cpuOf(service, attackOnce);
  const delayMs = isRunning(service) ? await longestDelayMs(service) : Number.NaN;
  const memoryMb = memory.growth();
  const end = { size: await store.size(), ...(await witness.count()) };
  const numbers = {
    cpuSeconds: Math.max(0, both - alone),
    memoryMb,
    diskMb: Math.max(0, (end.size - start.size) / MIB),
    mails: end.mails - start.mails,
    modelCalls: end.modelCalls - start.modelCalls,
    delayMs,
  };
  const faults = [...(error ? [error] : []), ...(await faultsOf(service))];
  return {
    ...{ kind: kind.name, seconds: ms / 1_000, numbers, probes: { before, during }, results: attacker.results, faults },
  };
}

/** The CPU time of the service in seconds per minute while something runs, and its result. */
async function cpuOf<T>(service: Target, run: () => Promise<T>): Promise<readonly [number, T]> {
  const [startedAt, start] = [performance.now(), cpuMsOf(service.pid)];
  const result = await run();
  const ms = isRunning(service) ? cpuMsOf(service.pid) - start : Number.NaN;
  return [(ms / (performance.now() - startedAt)) * 60, result];
}

async function attack(kind: Kind, { service, site, addresses, ms }: Parts, measureOther: () => Promise<Latencies>) {
  const over = new AbortController();
  const attacker = new Attacker(service.url, addresses.attacker, over.signal);
  let error: string | undefined;
  const attacking = kind.attack(attacker, site).catch((reason: unknown) => {
    if (!over.signal.aborted) error = `the attack stopped: ${reason instanceof Error ? reason.message : reason}`;
  });
  const [during] = await Promise.all([measureOther(), pause(ms)]);
  over.abort();
  await Promise.race([attacking, pause(RECOVERY_MS)]);
  await attacker.close();
  return { attacker, during, error };
}

function watchMemory(service: Target): { growth(): number } {
  const start = rssOf(service);
  let highest = start;
  const sampling = setInterval(() => {
    if (isRunning(service)) highest = Math.max(highest, rssOf(service));
  }, SAMPLE_MS);
  return {
    growth() {
      clearInterval(sampling);
      return highest - start;
    },
  };
}

function isRunning({ child }: Target): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The longest delay of the event loop since the read before, from the metrics of the service. */
async function longestDelayMs({ url }: Target): Promise<number> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) });
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  return Number(seconds) * 1_000;
}

async function faultsOf(service: Target): Promise<string[]> {
  if (!isRunning(service)) return [`the process exited with ${service.child.exitCode ?? service.child.signalCode}`];
  const signal = AbortSignal.timeout(RECOVERY_MS);
  const health = await fetch(`${service.url}/readyz`, { signal }).catch(() => undefined);
  return health?.ok ? [] : [`/readyz is not 200 within ${RECOVERY_MS / 1_000} s after the attack`];
}
