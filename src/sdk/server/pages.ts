import { type Request, sendJson } from '../http.ts';
import type { Settings } from '../options.ts';

interface WirePage<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly nextCursor: string | null };
}

/** Yields the items of a list and requests a page when the one before it is used up. */
export async function* itemsOf<Wire, Item>(
  settings: Settings,
  request: Pick<Request, 'path' | 'query' | 'signal'>,
  fromWire: (wire: Wire) => Item,
): AsyncGenerator<Item, void> {
  for (let cursor: string | undefined; ; ) {
    const query = { ...request.query, cursor };
    const { data, meta } = await sendJson<WirePage<Wire>>(settings, { method: 'GET', ...request, query });
    for (const item of data) yield fromWire(item);
    if (meta.nextCursor === null) return;
    cursor = meta.nextCursor;
  }
}
