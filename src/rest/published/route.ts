import { type GraphQLSchema, Kind } from 'graphql';
import type { Scope } from '../../contract/scopes.ts';
import { type Access, accessOf } from '../../operation/access.ts';
import { keyOf } from '../documents.ts';
import { type RootSelection, type Route, toRoute } from '../route.ts';
import { restDirectiveOf, toolDirectiveOf } from './path.ts';
import type { DocumentSource, TrustedText } from './source.ts';

interface Schemas {
  readonly schema: GraphQLSchema;
  /** The same with the directives of documents. */
  readonly extended: GraphQLSchema;
}

/** The route of a valid document. @throws {GraphQLError} */
export function publishedRoute(
  { schema, extended }: Schemas,
  name: string,
  { document, operation, fragments }: DocumentSource,
  { document: executedDocument, operation: executedOperation }: TrustedText,
): Route {
  const directive = restDirectiveOf(extended, operation, name);
  const tool = toolDirectiveOf(extended, operation, name);
  const nodes = operation.selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const roots = nodes.flatMap((node): RootSelection[] => {
    const field = fields[node.name.value];
    return field ? [{ key: keyOf(node), node, field, access: accessOf(field) }] : [];
  });
  const [first] = roots;
  if (!first) throw new Error('The rules require a root field.');
  const route = toRoute(schema, { name, directive, tool, operation, document, rootField: first.node, fragments });
  const hasBody = ['post', 'put', 'patch'].includes(route.method);
  return {
    ...route,
    roots,
    access: accessTo(roots),
    parameters: route.parameters.map((parameter) =>
      hasBody && parameter.in === 'query' ? { ...parameter, in: 'body' as const } : parameter,
    ),
    published: {
      executed: { document: executedDocument, operation: executedOperation },
      throwsErrors: roots.length === 1,
    },
  };
}

/** The access to all root fields together. A published document always needs a credential. */
function accessTo(roots: readonly RootSelection[]): Access {
  const all = roots.map(({ access }) => access);
  const scopes = new Set<Scope>(
    all.flatMap(({ scope, scopes: several = [] }) => [...(scope ? [scope] : []), ...several]),
  );
  const [only] = scopes;
  const isWorkspaceWide = all.some((access) => access.scopes && !access.anyRole);
  return {
    ...(scopes.size === 1 && only && { scope: only }),
    ...(scopes.size > 1 && { scopes: [...scopes], ...(!isWorkspaceWide && { anyRole: true }) }),
    credentials: true,
    ...(all.some(({ session }) => session) && { session: true }),
    ...(all.some(({ administrator }) => administrator) && { administrator: true }),
  };
}
