import { isDeepStrictEqual } from 'node:util';
import type { Journal } from '../journal.ts';
import type { Ask } from './rows.ts';

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly resource_id: string;
  readonly payload: { readonly fields?: Fields; readonly before?: Fields; readonly after?: Fields };
}

type Fields = Readonly<Record<string, unknown>>;

/** The event log: told in its order to all who follow, and the whole truth of every resource. */
export async function checkLog(journal: Journal, ask: Ask): Promise<void> {
  const log = await ask<EventRow>('SELECT id, type, resource_id, payload FROM event ORDER BY xid, id');
  const ids = log.map(({ id }) => id);
  for (const [name, told] of journal.followed) {
    journal.check('who follows the log is told all of it, in its order', isDeepStrictEqual(told, ids), () => {
      const at = ids.findIndex((id, index) => told[index] !== id);
      return `${name} was told ${told.length} of ${ids.length}; at ${at}: ${told[at]}, and not ${ids[at]}`;
    });
  }
  const resources = new Map<string, Fields | null>();
  for (const event of log) {
    const before = resources.get(event.resource_id);
    const after = applied(before, event);
    journal.check('each event goes on where the one before it ended', after !== undefined, () => {
      return `${JSON.stringify(event)} after ${JSON.stringify(before)}`;
    });
    resources.set(event.resource_id, after ?? null);
  }
  const rows = await ask<{ id: string; fields: Fields }>('SELECT id, fields FROM resource');
  const stored = new Map(rows.map(({ id, fields }) => [id, fields]));
  for (const [id, fields] of resources) {
    journal.check('a resource is what its events come to', isDeepStrictEqual(stored.get(id) ?? null, fields), () => {
      return `${id}: ${JSON.stringify(stored.get(id))}, and not ${JSON.stringify(fields)}`;
    });
  }
  const isTold = rows.every(({ id }) => resources.has(id));
  journal.check('there is no resource without its event', isTold, () => `${rows.length} resources`);
}

/** What is left of a resource after an event; undefined where it cannot be. */
function applied(before: Fields | null | undefined, { type, payload }: EventRow): Fields | null | undefined {
  if (type === 'resource.created') return before === undefined ? payload.fields : undefined;
  if (!before) return undefined;
  if (type === 'resource.deleted') return isDeepStrictEqual(before, payload.fields) ? null : undefined;
  const { before: was = {}, after: is = {} } = payload;
  const fits = Object.entries(was).every(([key, value]) => isDeepStrictEqual(before[key], value));
  const isChange = Object.keys(is).length > 0 && Object.keys(is).every((key) => key in was || !(key in before));
  return fits && isChange ? { ...before, ...is } : undefined;
}
