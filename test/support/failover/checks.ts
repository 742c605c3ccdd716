import type pg from 'pg';
import type { Receiver } from '../receiver.ts';
import { until } from '../until.ts';
import { contradictions, type Readers } from './readers.ts';
import { changesInOrder, differences, openRuns } from './stored.ts';
import type { Writers } from './writers.ts';

/** How long the effects of a failover may last. */
const WITHIN_MS = 40_000;

/** Differences in the message of a failure. */
const SHOWN = 5;

function failIfAny(problems: readonly string[], text: string): string {
  if (problems.length > 0) throw new Error(`${problems.length} problems: ${problems.slice(0, SHOWN).join('; ')}`);
  return text;
}

/** Every run ends. */
export async function checkRuns(pool: pg.Pool): Promise<string> {
  await until(async () => (await openRuns(pool)) === 0, { withinMs: WITHIN_MS });
  return 'no run is open';
}

/** Everything acknowledged is stored once. */
export async function checkWrites(pool: pg.Pool, writers: Pick<Writers, 'turns' | 'resources'>): Promise<string> {
  const { turns, resources } = writers;
  return failIfAny(
    await differences(pool, writers),
    `${turns.length} turns and ${resources.length} resources were acknowledged, each is stored once`,
  );
}

/** Clients got results, or errors after which they can repeat the request. */
export function checkResponses({ results, violations }: Pick<Writers, 'results' | 'violations'>): string {
  const counts = [...results].map(([result, count]) => `${result} (${count})`).sort();
  return failIfAny(violations, counts.join(', '));
}

/** Every subscriber has every event once, in the order of the log. */
export async function checkFeeds(pool: pg.Pool, { received, ended }: Readers): Promise<string> {
  const { resourceIds } = await changesInOrder(pool);
  const last = resourceIds.at(-1) ?? '';
  const hasAll = async () => [...received.values()].every((ids) => ids.includes(last));
  await until(hasAll, { withinMs: WITHIN_MS }).catch(() => {});
  const problems = [...received].flatMap(([name, ids]) => {
    const place = resourceIds.findIndex((id, index) => ids[index] !== id);
    if (place < 0 && ids.length === resourceIds.length) return [];
    return [`${name} has ${ids.length} of ${resourceIds.length} events, event ${place + 1} is another`];
  });
  return failIfAny(
    [...ended, ...problems],
    `${resourceIds.length} events in order at ${[...received.keys()].join(', ')}`,
  );
}

/** Every event has arrived at the endpoint, under its ID. */
export async function checkWebhooks(pool: pg.Pool, receiver: Receiver): Promise<string> {
  const { eventIds } = await changesInOrder(pool);
  const missing = () => {
    const arrived = new Set(receiver.received.map(({ message }) => message.id));
    return eventIds.filter((id) => !arrived.has(id));
  };
  await until(async () => missing().length === 0, { withinMs: WITHIN_MS }).catch(() => {});
  const { length } = receiver.received;
  const repeated = length - new Set(receiver.received.map(({ message }) => message.id)).size;
  return failIfAny(
    [...missing().map((id) => `${id} did not arrive`), ...contradictions(receiver)],
    `${eventIds.length} events arrived, ${repeated} of ${length} messages came again`,
  );
}
