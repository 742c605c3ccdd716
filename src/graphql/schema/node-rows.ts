import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { OperationContext } from '../../operation/context.ts';
import { builder } from './builder.ts';

type Key = string | number | bigint;

/** The table of a node type. */
interface NodeRows {
  readonly model:
    | 'auditEntry'
    | 'budget'
    | 'connectedApp'
    | 'conversation'
    | 'conversationNote'
    | 'deployment'
    | 'documentVersion'
    | 'environment'
    | 'modelPrice'
    | 'document'
    | 'run'
    | 'session'
    | 'savedView'
    | 'trigger'
    | 'workflow'
    | 'workflowLog'
    | 'workflowVersion';
  /** The columns of the key. Default: `id`. */
  readonly columns?: readonly string[];
  /** The key in a global ID, a value for each column. An ID that no row can have becomes a key that no row has. */
  readonly keyOf: (id: string) => Key | readonly Key[];
  /** A further condition on the rows that the caller may read. */
  readonly where?: (context: OperationContext) => object;
}

export interface NodeRowsExtensions extends Readonly<Record<string, unknown>> {
  readonly nodeRows: NodeRows;
}

/** A decoded global ID. */
export interface NodeId {
  readonly typename: string;
  readonly id: string;
}

type Row = Readonly<Record<string, unknown>>;

interface Delegate {
  findMany(query: object): Promise<Row[]>;
}

type LoadMany = (ids: readonly string[], context: OperationContext) => Promise<(object | null)[]>;

/**
 * Loads nodes of one type with one statement, in the order of their IDs. Pothos would load each of them with its own
 * statement, or would keep them for all events of a subscription.
 */
export async function loadNodesOf(
  typename: string,
  ids: readonly string[],
  context: OperationContext,
  info: GraphQLResolveInfo,
  query: object = selectionOf(typename, context, info),
): Promise<(object | null)[]> {
  const rows = nodeRowsOf(typename, info);
  const unique = [...new Set(ids)];
  const nodes = rows ? await loadRows(rows, unique, context, query) : await loadManyOf(typename)(unique, context);
  for (const node of nodes) if (node) brandWithType(node, typename as never);
  const byId = new Map(unique.map((id, index) => [id, nodes[index] ?? null]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * The fields of a node that the request selects. It must be called for each item of a list: only then Pothos knows that
 * the item has these fields, and does not load it again.
 */
export function selectionOf(typeName: string, context: OperationContext, info: GraphQLResolveInfo): object {
  return nodeRowsOf(typeName, info) ? queryFromInfo({ context, info, typeName }) : {};
}

function nodeRowsOf(typename: string, { schema }: GraphQLResolveInfo): NodeRows | undefined {
  return (schema.getType(typename)?.extensions as Partial<NodeRowsExtensions> | undefined)?.nodeRows;
}

function loadManyOf(typename: string): LoadMany {
  const { pothosOptions } = builder.configStore.getTypeConfig(typename, 'Object');
  const { loadMany } = pothosOptions as { readonly loadMany?: LoadMany };
  if (!loadMany) throw new Error(`${typename} has neither nodeRows nor loadMany.`);
  return loadMany;
}

async function loadRows(
  { model, columns = ['id'], keyOf, where }: NodeRows,
  ids: readonly string[],
  context: OperationContext,
  query: object,
): Promise<(object | null)[]> {
  const keys = ids.map((id) => [keyOf(id)].flat());
  const delegate = context.domain.db[model] as unknown as Delegate;
  const rows = await delegate.findMany({ ...query, where: { AND: [whereOf(columns, keys), where?.(context) ?? {}] } });
  const byKey = new Map(rows.map((row) => [columns.map((column) => String(row[column])).join(':'), row]));
  return keys.map((key) => byKey.get(key.join(':')) ?? null);
}

function whereOf(columns: readonly string[], keys: readonly (readonly Key[])[]): object {
  const [only] = columns;
  if (columns.length === 1 && only !== undefined) return { [only]: { in: keys.map(([key]) => key) } };
  return { OR: keys.map((key) => Object.fromEntries(columns.map((column, index) => [column, key[index]]))) };
}
