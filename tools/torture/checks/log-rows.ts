import { isDeepStrictEqual } from 'node:util';
import type { Journal } from '../journal.ts';
import type { Query } from './query.ts';

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly resource_id: string;
  readonly payload: { readonly fields?: Fields; readonly before?: Fields; readonly after?: Fields };
}

type Fields = Readonly<Record<string, unknown>>;

/** The event log: every follower receives it in order, and it describes every resource completely. */
export async function checkLog(journal: Journal, send: Query): Promise<void> {
  // Followers without a filter do not get the lifecycle events, which have a conversation.
  const log = await send<EventRow>(
    'SELECT id, type, resource_id, payload FROM event WHERE conversation_id IS NULL ORDER BY xid, id',
  );
  const ids = log.map(({ id }) => id);
  for (const [name, results] of journal.followed) {
    journal.check('a follower receives the whole log in its order', isDeepStrictEqual(results, ids), () => {
      const at = ids.findIndex((id, index) => results[index] !== id);
      return `${name} received ${results.length} of ${ids.length}; at ${at}: ${results[at]} instead of ${ids[at]}`;
    });
  }
  const resources = new Map<string, Fields | null>();
  for (const event of log) {
    const before = resources.get(event.resource_id);
    const after = applied(before, event);
    journal.check('each event continues from the previous one', after !== undefined, () => {
      return `${JSON.stringify(event)} after ${JSON.stringify(before)}`;
    });
    resources.set(event.resource_id, after ?? null);
  }
  const rows = await send<{ id: string; fields: Fields }>('SELECT id, fields FROM resource');
  const stored = new Map(rows.map(({ id, fields }) => [id, fields]));
  for (const [id, fields] of resources) {
    journal.check(
      'a resource equals the result of its events',
      isDeepStrictEqual(stored.get(id) ?? null, fields),
      () => {
        return `${id}: ${JSON.stringify(stored.get(id))}instead of ${JSON.stringify(fields)}`;
      },
    );
  }
  const hasEvents = rows.every(({ id }) => resources.has(id));
  journal.check('every resource has its creation event', hasEvents, () => `${rows.length} resources`);
}

/** The state of a resource after an event. Undefined if the event is impossible. */
function applied(before: Fields | null | undefined, { type, payload }: EventRow): Fields | null | undefined {
  if (type === 'resource.created') return before === undefined ? payload.fields : undefined;
  if (!before) return undefined;
  if (type === 'resource.deleted') return isDeepStrictEqual(before, payload.fields) ? null : undefined;
  const { before: was = {}, after: is = {} } = payload;
  const fits = Object.entries(was).every(([key, value]) => isDeepStrictEqual(before[key], value));
  const isChange = Object.keys(is).length > 0 && Object.keys(is).every((key) => key in was || !(key in before));
  return fits && isChange ? { ...before, ...is } : undefined;
}
