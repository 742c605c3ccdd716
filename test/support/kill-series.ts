import { setTimeout as pause } from 'node:timers/promises';
import { type DataStore, type PostgresStore, startOn } from './data-stores.ts';
import type { ServiceProcess } from './process.ts';
import { inspectRecovery, type PromptMessage, promptsOf, type RecoveryResult } from './recovery-result.ts';
import { openStalls, type StallPoint, type StatementStalls } from './stall.ts';
import { BOUNDARIES, type PreparedTurn, prepare, type Sample, sendUntilBoundary } from './tool-turn.ts';

/** The results of a series of kills. */
export interface KillReport {
  readonly results: readonly RecoveryResult[];
  readonly prompts: ReadonlyMap<string, readonly PromptMessage[]>;
}

/** Kills the process while conversations are at the boundaries. Returns those conversations. */
type Kill = (service: ServiceProcess, name: string) => Promise<Sample[]>;

/** Kills and restarts a service once for each kill, and inspects each conversation. */
async function killRepeatedly(store: DataStore, lane: string, series: readonly Kill[]): Promise<KillReport> {
  const results: RecoveryResult[] = [];
  let service = await startOn(store);
  for (const [index, kill] of series.entries()) {
    const samples = await kill(service, `${lane}${index}`);
    service = await startOn(store);
    const restartedAt = Date.now();
    const restarted = service;
    results.push(...(await Promise.all(samples.map((sample) => inspectRecovery(restarted, sample, restartedAt)))));
  }
  await service.kill('SIGTERM');
  return { results, prompts: await promptsOf(store, results) };
}

function prepareAll(service: ServiceProcess, name: string, waitSeconds: number): Promise<PreparedTurn[]> {
  return Promise.all(BOUNDARIES.map((boundary, index) => prepare(service, boundary, `${name}-${index}`, waitSeconds)));
}

function approachAll(service: ServiceProcess, turns: readonly PreparedTurn[], atOnce: boolean): Promise<Sample[]> {
  const selected = turns.filter(({ boundary }) => (boundary.itemsBefore === null) === atOnce);
  return Promise.all(selected.map((turn) => sendUntilBoundary(service, turn)));
}

/** Where a statement stalls when its process dies, and how the statement then ends. */
export type StallFate = readonly [point: StallPoint, fate: 'committed' | 'aborted'];

/** Time to lock the conversations before their turns reach the boundary. */
const POSTGRES_WAIT_SECONDS = 3;

/** On PostgreSQL every kill hits its boundary exactly, because the statement at the boundary is stalled. */
export async function killOnPostgres(
  store: PostgresStore,
  lane: string,
  fates: readonly StallFate[],
): Promise<KillReport> {
  const stalls = await openStalls(store.url);
  const report = await killRepeatedly(
    store,
    lane,
    fates.map((stallFate) => (service, name) => killStalled(stalls, stallFate, service, name)),
  );
  await stalls.close();
  return report;
}

async function killStalled(stalls: StatementStalls, [point, fate]: StallFate, service: ServiceProcess, name: string) {
  const turns = await prepareAll(service, name, POSTGRES_WAIT_SECONDS);
  const approaching = await approachAll(service, turns, false);
  const stalledTurns = turns.filter(({ boundary }) => boundary.outcomeIfStored !== boundary.outcomeIfLost);
  await stalls.hold(
    stalledTurns.map(({ conversationId }) => conversationId),
    point,
  );
  const accepted = await approachAll(service, turns, true);
  await stalls.waiting(stalledTurns.length);
  await service.kill('SIGKILL');
  await stalls.release(fate);
  return [...approaching, ...accepted];
}

const DIRECTORY_WAIT_SECONDS = 1.5;

/** How long the embedded database takes for the requests of one kill. */
const BUSY_MS = 60;

/** A test cannot lock the embedded database from outside, so it kills at a random moment around the boundary. */
export function killOnDirectory(store: DataStore, kills: number, random: () => number): Promise<KillReport> {
  return killRepeatedly(
    store,
    '',
    Array.from({ length: kills }, () => (service, name) => killAround(random, service, name)),
  );
}

async function killAround(random: () => number, service: ServiceProcess, name: string): Promise<Sample[]> {
  const turns = (
    await Promise.all(['a', 'b'].map((twin) => prepareAll(service, `${name}${twin}`, DIRECTORY_WAIT_SECONDS)))
  ).flat();
  const startedAt = Date.now();
  const approaching = await approachAll(service, turns, false);
  // The turns reach their boundaries at the same intervals at which they were accepted.
  const apartMs = Date.now() - startedAt;
  await pause(Math.max(0, DIRECTORY_WAIT_SECONDS * 1_000 - apartMs + random() * apartMs));
  const accepted = await approachAll(service, turns, true);
  await pause(random() * BUSY_MS);
  await service.kill('SIGKILL');
  return [...approaching, ...accepted];
}

/** Numbers from 0 to 1. The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
