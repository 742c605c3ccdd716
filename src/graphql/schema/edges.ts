import { queryFromInfo } from '@pothos/plugin-prisma';
import { type GraphQLResolveInfo, getNamedType, type ResponsePath } from 'graphql';
import { loadInBatch } from '../../domain/related/batches.ts';
import { type Condition, type RelatedList, relatedPage } from '../../domain/related/page.ts';
import type { OperationContext } from '../../operation/context.ts';
import { loadNodesOf, selectionOf } from './node-rows.ts';

type PageArgs = Parameters<typeof relatedPage>[3]['args'];

/** The position of a field in the request, without the indexes of lists: equal for all items of a page. */
export function fieldPath(path: ResponsePath | undefined): string {
  if (!path) return '';
  const before = fieldPath(path.prev);
  return typeof path.key === 'number' ? before : `${before}.${path.typename ?? ''}.${path.key}`;
}

/** Resolves an edge to a node of the field's type. Null without an ID. */
export function loadEdge(
  id: string | number | bigint | null,
  context: OperationContext,
  info: GraphQLResolveInfo,
): Promise<never> | null {
  return loadNode(getNamedType(info.returnType).name, id, context, info);
}

/**
 * Resolves an edge to a node: all items of a page load their nodes together. Null without a type or an ID, and if the
 * caller's environment has no such node.
 */
export function loadNode(
  typename: string | null | undefined,
  id: string | number | bigint | null,
  context: OperationContext,
  info: GraphQLResolveInfo,
): Promise<never> | null {
  if (!typename || id === null) return null;
  const query = selectionOf(typename, context, info);
  const load = (ids: readonly string[]) => loadNodesOf(typename, ids, context, info, query);
  return loadInBatch(context.domain, `${typename} ${fieldPath(info.path)}`, String(id), load) as Promise<never>;
}

const PATHS: [string, ...string[]][] = [['nodes'], ['edges', 'node']];

/** Resolves a connection of the rows that refer to `parent`: all items of a page load their connections together. */
export function loadConnection<Row extends object>(
  list: RelatedList<Row>,
  parent: string | number,
  args: PageArgs,
  context: OperationContext,
  info: GraphQLResolveInfo,
  condition?: Condition,
) {
  const field = fieldPath(info.path);
  const query = list.select ? {} : queryFromInfo({ context, info, paths: PATHS });
  return relatedPage(context.domain, list, parent, { args, field, query, condition });
}
