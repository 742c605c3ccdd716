import { snakeCase } from '../../contract/snake-case.ts';
import { type Conversation, Prisma, type Run, type TimelineItem } from '../../db/generated/client.ts';
import { type Sql, sqlIn } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { logSnapshot } from '../events/order.ts';

/** The fields to read: those of the conversation, and of its latest run. Without a selection all of the conversation. */
type Selection = Readonly<Record<string, unknown>>;

const FIELDS: ReadonlySet<string> = new Set(Object.values(Prisma.ConversationScalarFieldEnum));
const RUN_FIELDS: ReadonlySet<string> = new Set(Object.values(Prisma.RunScalarFieldEnum));

/**
 * Reads conversations by ID, in any order, with the fields that a query of Prisma selects. SQL reads them if the query
 * selects no other relation than the latest run: a list takes several times as long with Prisma's client.
 */
export async function readRows(
  { db, sql, environment }: Context,
  ids: readonly string[],
  query: { readonly select?: Selection },
  tx?: Transaction,
): Promise<Conversation[]> {
  if (ids.length === 0) return [];
  const plan = planOf(query);
  if (!plan) return (tx ?? db).conversation.findMany({ ...query, where: { id: { in: [...ids] } } });
  const within: Sql = tx ? sqlIn(tx) : sql;
  const rows = await within.rows<Conversation>`
    SELECT ${plan.columns} FROM conversation WHERE id = ANY (${[...ids]}::uuid[]) AND environment_id = ${environment.id}::uuid`;
  return plan.runColumns ? withRuns(within, environment, rows, plan.runColumns) : rows;
}

/**
 * Reads the conversations of a subquery of IDs in one statement, in this order, each with `total` and the snapshot of the statement. Undefined if the query
 * selects more than the columns of the conversation and its latest run.
 */
export async function readOrdered(
  { sql, environment }: Context,
  {
    ids,
    order,
    total,
  }: { readonly ids: Prisma.Sql; readonly order: Prisma.Sql; readonly total: Prisma.Sql | undefined },
  query: { readonly select?: Selection },
): Promise<Listed[] | undefined> {
  const plan = planOf(query);
  if (!plan) return undefined;
  const rows = await sql.read<Listed>`
    SELECT ${plan.columns}, ${total ?? NO_TOTAL} AS total, ${logSnapshot(environment, 'conversation')} AS snapshot FROM conversation
    WHERE id = ANY (ARRAY(${ids})) AND environment_id = ${environment.id}::uuid ORDER BY ${order}`;
  return plan.runColumns ? withRuns(sql, environment, rows, plan.runColumns) : rows;
}

type Listed = Conversation & { readonly total: number | null; readonly snapshot: string };

const NO_TOTAL = Prisma.sql`NULL::int4`;

async function withRuns<Row extends Conversation>(
  sql: Sql,
  { id }: Context['environment'],
  rows: readonly Row[],
  columns: Prisma.Sql,
): Promise<Row[]> {
  const runIds = rows.flatMap(({ latestRunId }) => latestRunId ?? []);
  const runs =
    runIds.length === 0
      ? []
      : await sql.read<Run>`
          SELECT ${columns} FROM run WHERE id = ANY (${runIds}::uuid[]) AND environment_id = ${id}::uuid`;
  const byId = new Map(runs.map((run) => [run.id, run]));
  return rows.map((row) => ({ ...row, latestRun: byId.get(row.latestRunId ?? '') ?? null }));
}

interface Plan {
  readonly columns: Prisma.Sql;
  readonly runColumns: Prisma.Sql | undefined;
}

function planOf(query: { readonly select?: Selection }): Plan | undefined {
  if (Object.keys(query).some((key) => key !== 'select')) return undefined;
  const { latestRun, ...select } = query.select ?? Object.fromEntries([...FIELDS].map((field) => [field, true]));
  const columns = columnsOf({ ...select, id: true, latestRunId: true }, FIELDS);
  if (!columns || !latestRun) return columns && { columns, runColumns: undefined };
  const ofRun =
    latestRun === true ? Object.fromEntries([...RUN_FIELDS].map((field) => [field, true])) : selectOf(latestRun);
  const runColumns = ofRun && columnsOf({ ...ofRun, id: true }, RUN_FIELDS);
  return runColumns && { columns, runColumns };
}

function selectOf(query: unknown): Selection | undefined {
  const { select, ...others } = query as { readonly select?: Selection };
  return Object.keys(others).length === 0 ? select : undefined;
}

/** All columns of an item, with the names of the fields. */
export const ITEM_FIELDS = Prisma.raw(Object.values(Prisma.TimelineItemScalarFieldEnum).map(columnOf).join(', '));

/** The tool calls of these runs, in order. */
export function readCalls({ sql, environment }: Context, runIds: readonly string[]): Promise<TimelineItem[]> {
  return sql.read<TimelineItem>`
    SELECT ${ITEM_FIELDS} FROM timeline_item
    WHERE run_id = ANY (${[...runIds]}::uuid[]) AND kind IN ('tool', 'action', 'client_tool')
      AND environment_id = ${environment.id}::uuid
    ORDER BY id`;
}

/** The columns of the selected fields, with the names of the fields. Undefined if a field is no column. */
function columnsOf(select: Selection, fields: ReadonlySet<string>): Prisma.Sql | undefined {
  const selected = Object.entries(select).filter(([, isSelected]) => isSelected !== false && isSelected !== undefined);
  if (!selected.every(([field, isSelected]) => isSelected === true && fields.has(field))) return undefined;
  return Prisma.raw(selected.map(([field]) => columnOf(field)).join(', '));
}

function columnOf(field: string): string {
  return `${snakeCase(field)} AS "${field}"`;
}
