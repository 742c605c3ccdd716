import type { HttpResponse } from './client.ts';
import type { ConnectionLocation, ConnectionRow } from './relay-connections.ts';
import type { TestService } from './service.ts';

/** Paging arguments of a connection field. */
export interface Paging {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
  readonly before?: string;
}

export interface Page {
  /** The identifying value of each item, in order. */
  readonly items: readonly string[];
  readonly nodes: readonly string[];
  readonly cursors: readonly string[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** Reads one connection. */
export interface ConnectionReader {
  readonly row: ConnectionRow;
  send(paging: Paging, selection?: string): Promise<HttpResponse>;
  page(paging: Paging): Promise<Page>;
  /** Reads all pages of a size in the direction of `first` or of `last`. */
  walk(by: 'first' | 'last', size: number): Promise<Page[]>;
  /** Deletes the item's row. */
  deleteItem(item: string): Promise<void>;
  /** Deletes all rows. */
  deleteAll(): Promise<void>;
  /** Gives all rows the same sort value. */
  equalizeSortValues(): Promise<void>;
}

/** A reader of a schema field, `Type.name`, at the location in `place`. */
export function readerOf(
  service: TestService,
  name: string,
  row: ConnectionRow,
  location: ConnectionLocation,
  key: string,
): ConnectionReader {
  const field = name.split('.')[1] ?? '';
  const selection = `edges { cursor node { it: ${row.item} } } nodes { it: ${row.item} }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
  const send: ConnectionReader['send'] = (paging, fields = selection) => {
    const pagingArguments = Object.entries(paging).map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
    const allArguments = [...pagingArguments, ...(location.extraArguments ? [location.extraArguments] : [])];
    const list = `${field}${allArguments.length > 0 ? `(${allArguments.join(', ')})` : ''} { ${fields} }`;
    const inParent = location.parent === undefined ? list : `${location.parent} { ${list} }`;
    return service.graphql(`{ ${(location.wrapper ?? '%').replace('%', inParent)} }`, {}, { key });
  };
  const page: ConnectionReader['page'] = async (paging) => {
    const { body } = await send(paging);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    const outer = Object.values(body.data)[0] as HttpResponse['body'];
    const parent = location.parent === undefined ? outer : outer[location.parent];
    const { edges, nodes, pageInfo } = location.wrapper ? parent[field] : parent;
    return {
      items: edges.map(({ node }: HttpResponse['body']) => String(node.it)),
      nodes: nodes.map(({ it }: HttpResponse['body']) => String(it)),
      cursors: edges.map(({ cursor }: HttpResponse['body']) => cursor),
      pageInfo,
    };
  };
  const execute = (sql: string) => withoutTriggers(service, sql);
  return {
    row,
    send: send,
    page,
    async walk(by, size) {
      const pages = [await page({ [by]: size })];
      for (let from = nextPageCursor(pages[0], by); from !== null; from = nextPageCursor(pages.at(-1), by)) {
        pages.push(await page({ [by]: size, [by === 'first' ? 'after' : 'before']: from }));
      }
      return pages;
    },
    deleteItem: (item) =>
      execute(`DELETE FROM ${row.table} WHERE ${row.column}::text = '${item.replace(/^item_0*/, '')}'`),
    deleteAll: () => execute(`DELETE FROM ${row.table}`),
    equalizeSortValues: () => execute(`UPDATE ${row.table} SET ${row.sortedBy} = '2026-01-01T00:00:00Z'`),
  };
}

/** The cursor for the next page, from PageInfo. */
function nextPageCursor(page: Page | undefined, by: 'first' | 'last'): string | null {
  if (!page) return null;
  const { hasNextPage, hasPreviousPage, endCursor, startCursor } = page.pageInfo;
  if (by === 'first') return hasNextPage ? endCursor : null;
  return hasPreviousPage ? startCursor : null;
}

/** Runs SQL without triggers, because some tables allow only inserts. */
async function withoutTriggers({ service }: TestService, sql: string): Promise<void> {
  await service.services.stores.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    await transaction.$executeRawUnsafe(sql);
  });
}
