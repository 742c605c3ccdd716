import type { Answer } from './client.ts';
import type { ConnectionRow, Place } from './relay-rows.ts';
import type { TestService } from './service.ts';

/** Paging arguments, and anything else that stands in a field's parentheses. */
export interface Paging {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
  readonly before?: string;
}

export interface Page {
  /** What tells the items apart, in order. */
  readonly items: readonly string[];
  readonly nodes: readonly string[];
  readonly cursors: readonly string[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly nextCursor: string | null;
}

/** Reads one connection. */
export interface ConnectionReader {
  readonly row: ConnectionRow;
  ask(paging: Paging, selection?: string): Promise<Answer>;
  page(paging: Paging): Promise<Page>;
  /** Pages of a size, one after another, in the direction of `first` or of `last`. */
  walk(by: 'first' | 'last', size: number): Promise<Page[]>;
  /** Takes the item's row away from under the list. */
  drop(item: string): Promise<void>;
  /** Takes all rows away. */
  clear(): Promise<void>;
  /** Gives all rows the same sort value. */
  tie(): Promise<void>;
}

/** A field of the schema, `Type.name`, where `place` says. */
export function readerOf(
  service: TestService,
  name: string,
  row: ConnectionRow,
  place: Place,
  key: string,
): ConnectionReader {
  const field = name.split('.')[1] ?? '';
  const selection = `edges { cursor node { it: ${row.item} } } nodes { it: ${row.item} }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextCursor`;
  const ask: ConnectionReader['ask'] = (paging, asked = selection) => {
    const given = Object.entries(paging).map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
    const all = [...given, ...(place.beside ? [place.beside] : [])];
    const list = `${field}${all.length > 0 ? `(${all.join(', ')})` : ''} { ${asked} }`;
    return service.graphql(`{ ${(place.around ?? '%').replace('%', list)} }`, {}, { key });
  };
  const page: ConnectionReader['page'] = async (paging) => {
    const { body } = await ask(paging);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    const outer = Object.values(body.data)[0] as Answer['body'];
    const { edges, nodes, pageInfo, nextCursor } = place.around ? outer[field] : outer;
    return {
      items: edges.map(({ node }: Answer['body']) => String(node.it)),
      nodes: nodes.map(({ it }: Answer['body']) => String(it)),
      cursors: edges.map(({ cursor }: Answer['body']) => cursor),
      pageInfo,
      nextCursor,
    };
  };
  const change = (sql: string) => withoutTriggers(service, sql);
  return {
    row,
    ask,
    page,
    async walk(by, size) {
      const pages = [await page({ [by]: size })];
      for (let from = onwards(pages[0], by); from !== null; from = onwards(pages.at(-1), by)) {
        pages.push(await page({ [by]: size, [by === 'first' ? 'after' : 'before']: from }));
      }
      return pages;
    },
    drop: (item) => change(`DELETE FROM ${row.table} WHERE ${row.column}::text = '${item.replace(/^item_0*/, '')}'`),
    clear: () => change(`DELETE FROM ${row.table}`),
    tie: () => change(`UPDATE ${row.table} SET ${row.sortedBy} = '2026-01-01T00:00:00Z'`),
  };
}

/** The cursor that the following page is asked for with, as PageInfo has it. */
function onwards(page: Page | undefined, by: 'first' | 'last'): string | null {
  if (!page) return null;
  const { hasNextPage, hasPreviousPage, endCursor, startCursor } = page.pageInfo;
  if (by === 'first') return hasNextPage ? endCursor : null;
  return hasPreviousPage ? startCursor : null;
}

/** What the database itself would refuse: some of its tables only grow. */
async function withoutTriggers({ service }: TestService, sql: string): Promise<void> {
  await service.services.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    await transaction.$executeRawUnsafe(sql);
  });
}
