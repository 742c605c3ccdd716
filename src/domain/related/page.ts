import { Prisma } from '../../db/generated/client.ts';
import type { Keyset, KeysetQuery } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { type KeysetSql, keysetSql } from '../../db/keyset-sql.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from './batches.ts';

type Value = string | number;

/** A column that refers to the parent row, and its field in the client. */
interface ParentColumn<Row> {
  readonly column: string;
  readonly field: keyof Row & string;
  readonly type: 'uuid' | 'int4' | 'text';
}

/** A list of the rows that refer to a parent row. */
export interface RelatedList<Row> extends Keyset<Row> {
  /** The client's model of the rows. */
  readonly model:
    | 'budget'
    | 'conversation'
    | 'conversationNote'
    | 'deployment'
    | 'documentVersion'
    | 'event'
    | 'run'
    | 'timelineItem'
    | 'traceSpan'
    | 'trigger'
    | 'webhookDelivery'
    | 'workflowLog'
    | 'workflowVersion';
  readonly table: string;
  /** The columns of the parent's ID. An ID of several columns has colons between their values. */
  readonly parent: readonly ParentColumn<Row>[];
  /** The column that identifies a row among the rows of its parent. */
  readonly key: keyof Row & string;
  /** The column of the environment or workspace. Undefined: the parent belongs to it. */
  readonly owner: 'environment_id' | 'workspace_id' | undefined;
  /** The fields to read. Undefined: those that the request selects. */
  readonly select?: object | 'all';
  /** What binds a cursor to the list of one parent. The root field of the same list accepts its cursors. */
  readonly filters?: (parent: Value | undefined, where: object | undefined) => readonly unknown[];
}

/** A condition on the rows of a list, for the client and as SQL. */
export interface Condition {
  readonly where: object;
  readonly sql: Prisma.Sql;
}

/** What a request reads of a list. */
export interface RelatedRequest {
  readonly args: PageArgs;
  /** Identifies the field of the request. It has the same arguments and selection for each parent. */
  readonly field: string;
  /** The selection of the rows. */
  readonly query: object;
  readonly condition?: Condition | undefined;
}

interface Delegate<Row> {
  findMany(query: object): Promise<Row[]>;
  groupBy(query: object): Promise<(Row & { readonly _count: number })[]>;
}

/**
 * A page of the rows that refer to a parent. The first pages of several parents are read together, and so are their
 * counts: the number of statements does not depend on the number of parents.
 * @throws {ServiceError} invalid_request, invalid_cursor
 */
export function relatedPage<Row extends object>(
  ctx: Context,
  list: RelatedList<Row>,
  parent: Value,
  request: RelatedRequest,
): Promise<KeysetPage<Row>> {
  const { args, field, condition } = request;
  const key = String(parent);
  const binding = { secret: ctx.services.settings.secretKey, filters: filtersOf(ctx, list, key, condition) };
  return keysetPage(list, args, binding, {
    find: (page) => {
      if (page.where.AND.length > 0) return findOf(ctx, list, key, page, request);
      return loadInBatch(ctx, `${list.list} ${field}`, key, async (keys) => {
        const [only] = keys;
        if (only !== undefined && keys.length === 1) return [await findOf(ctx, list, only, page, request)];
        return firstOfEach(ctx, list, keys, page, request);
      });
    },
    count: () =>
      loadInBatch(ctx, `count ${list.list} ${field}`, key, (keys) => countOfEach(ctx, list, keys, condition)),
  });
}

/** The values of the parent's columns in its ID. */
function valuesOf<Row>({ parent }: RelatedList<Row>, key: string): Value[] {
  const texts = parent.length > 1 ? key.split(':') : [key];
  return parent.map(({ type }, at) => (type === 'int4' ? Number(texts[at]) : (texts[at] ?? '')));
}

/** The condition of the rows of one parent. */
function ofParent<Row>(list: RelatedList<Row>, key: string): Record<string, Value | undefined> {
  const values = valuesOf(list, key);
  return Object.fromEntries(list.parent.map(({ field }, at) => [field, values[at]]));
}

/** A condition that all rows of these parents fulfill. It is exact if the parent has one column. */
function ofParents<Row>(list: RelatedList<Row>, keys: readonly string[]): object {
  const columns = columnsOf(list, keys);
  return Object.fromEntries(list.parent.map(({ field }, at) => [field, { in: [...new Set(columns[at])] }]));
}

/** The values of the parents, by column. */
function columnsOf<Row>(list: RelatedList<Row>, keys: readonly string[]): Value[][] {
  const rows = keys.map((key) => valuesOf(list, key));
  return list.parent.map((_, at) => rows.flatMap((row) => row[at] ?? []));
}

/** The ID of a row's parent. */
function parentOf<Row>({ parent }: RelatedList<Row>, row: Row): string {
  return parent.map(({ field }) => String(row[field])).join(':');
}

function filtersOf<Row>(
  { environment }: Context,
  list: RelatedList<Row>,
  key: string,
  condition: Condition | undefined,
): readonly unknown[] {
  const { owner, filters } = list;
  const scope = owner === 'environment_id' ? environment.id : environment.workspaceId;
  const [first] = valuesOf(list, key);
  return [scope, ...(filters?.(first, condition?.where) ?? [{ ...ofParent(list, key), ...condition?.where }])];
}

function findOf<Row extends object>(
  ctx: Context,
  list: RelatedList<Row>,
  key: string,
  { where, orderBy, take }: KeysetQuery,
  { query, condition }: RelatedRequest,
): Promise<Row[]> {
  const conditions = [ofParent(list, key), ...(condition ? [condition.where] : []), ...where.AND];
  return delegateOf(ctx, list).findMany({ ...selectionOf(list, query), where: { AND: conditions }, orderBy, take });
}

interface Position {
  /** The index of the parent, from 1. */
  readonly parent: number;
  readonly key: unknown;
}

/** The first rows of each parent, in the order of the parents: one statement for their keys and one for the rows. */
async function firstOfEach<Row extends object>(
  ctx: Context,
  list: RelatedList<Row>,
  keys: readonly string[],
  page: KeysetQuery,
  { query, condition }: RelatedRequest,
): Promise<Row[][]> {
  const parents = [...new Set(keys)];
  const positions = await positionsOf(ctx, list, parents, page, condition);
  const found = new Map<string, Row[]>(parents.map((parent) => [parent, []]));
  if (positions.length > 0) {
    const known = new Set(positions.map(({ parent, key }) => `${parents[parent - 1]} ${key}`));
    const within = {
      ...ofParents(list, [...new Set(positions.map(({ parent }) => parents[parent - 1] ?? ''))]),
      [list.key]: { in: [...new Set(positions.map(({ key }) => key))] },
    };
    const selection = withParent(selectionOf(list, query), list);
    for (const row of await delegateOf(ctx, list).findMany({ ...selection, where: within, orderBy: page.orderBy })) {
      const parent = parentOf(list, row);
      if (known.has(`${parent} ${row[list.key]}`)) found.get(parent)?.push(row);
    }
  }
  return keys.map((key) => found.get(key) ?? []);
}

/** The keys of the first rows of each parent. */
function positionsOf<Row extends object>(
  ctx: Context,
  list: RelatedList<Row>,
  parents: readonly string[],
  { orderBy, take }: KeysetQuery,
  condition: Condition | undefined,
): Promise<Position[]> {
  const values = columnsOf(list, parents);
  const arrays = list.parent.map(({ type }, at) => Prisma.sql`${values[at]}::${Prisma.raw(type)}[]`);
  const names = list.parent.map((_, at) => `value${at}`);
  const matches = list.parent.map(({ column }, at) => `${column} = parent.${names[at]}`).join(' AND ');
  const { order }: KeysetSql = keysetSql(list, [], Object.values(orderBy[0] ?? {})[0] as 'asc' | 'desc');
  return ctx.sql.rows<Position>`
    SELECT parent.at::int4 AS parent, item.key
    FROM unnest(${Prisma.join(arrays)}) WITH ORDINALITY AS parent (${Prisma.raw(names.join(', '))}, at)
    CROSS JOIN LATERAL (
      SELECT ${Prisma.raw(list.key)} AS key FROM ${Prisma.raw(list.table)}
      WHERE ${Prisma.raw(matches)} AND ${ownerOf(ctx, list)} AND ${condition?.sql ?? Prisma.sql`true`}
      ORDER BY ${order} LIMIT ${take}
    ) AS item`;
}

function ownerOf({ environment }: Context, { owner }: Pick<RelatedList<object>, 'owner'>): Prisma.Sql {
  if (owner === undefined) return Prisma.sql`true`;
  const id = owner === 'environment_id' ? environment.id : environment.workspaceId;
  return Prisma.sql`${Prisma.raw(owner)} = ${id}::uuid`;
}

async function countOfEach<Row extends object>(
  ctx: Context,
  list: RelatedList<Row>,
  keys: readonly string[],
  condition: Condition | undefined,
): Promise<number[]> {
  const where = { AND: [ofParents(list, keys), condition?.where ?? {}] };
  const by = list.parent.map(({ field }) => field);
  const groups = await delegateOf(ctx, list).groupBy({ by, where, _count: true });
  const counts = new Map(groups.map((group) => [parentOf(list, group), group._count]));
  return keys.map((key) => counts.get(key) ?? 0);
}

function delegateOf<Row>({ db }: Context, { model }: RelatedList<Row>): Delegate<Row> {
  return db[model] as unknown as Delegate<Row>;
}

function selectionOf<Row>({ select }: RelatedList<Row>, query: object): object {
  if (select === 'all') return {};
  return select ? { select } : query;
}

/** The selection with the fields that refer to the parent. */
function withParent<Row>(selection: { readonly select?: object }, { parent }: RelatedList<Row>): object {
  if (!selection.select) return selection;
  return {
    ...selection,
    select: { ...selection.select, ...Object.fromEntries(parent.map(({ field }) => [field, true])) },
  };
}
