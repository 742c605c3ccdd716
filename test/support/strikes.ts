import { setTimeout as pause } from 'node:timers/promises';
import { type Aftermath, examine, type PromptMessage, promptsOf } from './aftermath.ts';
import { type Place, type PostgresPlace, startAt } from './places.ts';
import type { ServiceProcess } from './process.ts';
import { openStalls, type StallPoint, type Stalls } from './stall.ts';
import { approach, BOUNDARIES, prepare, type Sample, type Stand } from './tool-turn.ts';

/** What came of a series of kills. */
export interface Report {
  readonly aftermaths: readonly Aftermath[];
  readonly prompts: ReadonlyMap<string, readonly PromptMessage[]>;
}

/** Kills the process while conversations stand at the boundaries, and says which. */
type Strike = (service: ServiceProcess, name: string) => Promise<Sample[]>;

/** Kills and restarts a service once for each strike, and looks at what became of each conversation. */
async function strikeAt(place: Place, lane: string, strikes: readonly Strike[]): Promise<Report> {
  const aftermaths: Aftermath[] = [];
  let service = await startAt(place);
  for (const [index, strike] of strikes.entries()) {
    const samples = await strike(service, `${lane}${index}`);
    service = await startAt(place);
    const restartedAt = Date.now();
    const restarted = service;
    aftermaths.push(...(await Promise.all(samples.map((sample) => examine(restarted, sample, restartedAt)))));
  }
  await service.kill('SIGTERM');
  return { aftermaths, prompts: await promptsOf(place, aftermaths) };
}

function prepareAll(service: ServiceProcess, name: string, waitSeconds: number): Promise<Stand[]> {
  return Promise.all(BOUNDARIES.map((boundary, index) => prepare(service, boundary, `${name}-${index}`, waitSeconds)));
}

function approachAll(service: ServiceProcess, stands: readonly Stand[], atOnce: boolean): Promise<Sample[]> {
  const wanted = stands.filter(({ boundary }) => (boundary.itemsOnTheWay === null) === atOnce);
  return Promise.all(wanted.map((stand) => approach(service, stand)));
}

/** How a statement stands still when its process dies, and what becomes of it then. */
export type Cut = readonly [point: StallPoint, fate: 'finished' | 'torn'];

/** Time enough to hold the conversations before their turns come to the boundary. */
const POSTGRES_WAIT_SECONDS = 3;

/** On PostgreSQL each boundary is hit exactly: the statement that stands there is held. */
export async function strikePostgres(place: PostgresPlace, lane: string, cuts: readonly Cut[]): Promise<Report> {
  const stalls = await openStalls(place.url);
  const report = await strikeAt(
    place,
    lane,
    cuts.map((cut) => (service, name) => strikeHeld(stalls, cut, service, name)),
  );
  await stalls.close();
  return report;
}

async function strikeHeld(stalls: Stalls, [point, fate]: Cut, service: ServiceProcess, name: string) {
  const stands = await prepareAll(service, name, POSTGRES_WAIT_SECONDS);
  const coming = await approachAll(service, stands, false);
  const held = stands.filter(({ boundary }) => boundary.kept !== boundary.undone);
  await stalls.hold(
    held.map(({ conversationId }) => conversationId),
    point,
  );
  const begun = await approachAll(service, stands, true);
  await stalls.waiting(held.length);
  await service.kill('SIGKILL');
  await stalls.release(fate);
  return [...coming, ...begun];
}

const DIRECTORY_WAIT_SECONDS = 1.5;

/** How long the embedded database takes for the requests of one strike. */
const BUSY_MS = 60;

/** On the embedded database nothing can be held from outside: the kill comes at a drawn moment around the boundary. */
export function strikeDirectory(place: Place, kills: number, random: () => number): Promise<Report> {
  return strikeAt(
    place,
    '',
    Array.from({ length: kills }, () => (service, name) => strikeAround(random, service, name)),
  );
}

async function strikeAround(random: () => number, service: ServiceProcess, name: string): Promise<Sample[]> {
  const stands = (
    await Promise.all(['a', 'b'].map((twin) => prepareAll(service, `${name}${twin}`, DIRECTORY_WAIT_SECONDS)))
  ).flat();
  const startedAt = Date.now();
  const coming = await approachAll(service, stands, false);
  // The turns come to their boundaries as far apart as they were accepted.
  const apartMs = Date.now() - startedAt;
  await pause(DIRECTORY_WAIT_SECONDS * 1_000 - apartMs + random() * apartMs);
  const begun = await approachAll(service, stands, true);
  await pause(random() * BUSY_MS);
  await service.kill('SIGKILL');
  return [...coming, ...begun];
}

/** Numbers from 0 to 1, the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
