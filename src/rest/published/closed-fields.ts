import {
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type NamedTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Access, accessOf } from '../../operation/access.ts';
import { nodeAccessOf } from '../../operation/node-scope.ts';
import { publishingOf } from '../../operation/publishing.ts';
import { problemAt } from './problem.ts';
import type { DocumentSource } from './source.ts';

/**
 * Fields that documents cannot select: root fields marked `never`, fields inside of other objects that need a session, and
 * everything about the objects that such root fields return, because `node` reads them too.
 */
export function closedFieldProblems(schema: GraphQLSchema, { document }: DocumentSource): GraphQLError[] {
  const closed = closedTypesOf(schema);
  const types = new TypeInfo(schema);
  const problems: GraphQLError[] = [];
  const visitor = visitWithTypeInfo(types, {
    Field(node) {
      const field = types.getFieldDef();
      const parent = types.getParentType();
      if (!field || !parent) return;
      if (!isClosed(schema, parent, field) && !closed.has(getNamedType(field.type).name)) return;
      problems.push(problemAt(node, `The field ${field.name} cannot be published. ${REASON}`));
    },
    FragmentDefinition: (node) => void problems.push(...typeProblem(node.typeCondition, closed)),
    InlineFragment: (node) => void problems.push(...typeProblem(node.typeCondition, closed)),
  });
  visit(document, visitor);
  return problems;
}

const REASON = 'It is about administrators, sessions, members, their work or credentials, or it publishes documents.';

function isClosed(schema: GraphQLSchema, parent: GraphQLNamedType, field: GraphQLField<unknown, unknown>): boolean {
  if (parent === schema.getQueryType() || parent === schema.getMutationType()) return publishingOf(field) === 'never';
  return isForSessions(accessOf(field));
}

const isForSessions = ({ session, administrator }: Access) => Boolean(session || administrator);

function typeProblem(condition: NamedTypeNode | undefined, closed: ReadonlySet<string>): GraphQLError[] {
  if (!condition || !closed.has(condition.name.value)) return [];
  return [problemAt(condition, `The type ${condition.name.value} cannot be published. ${REASON}`)];
}

const closedTypes = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** The types that only root fields marked `never` return, with those of their lists, and nodes that need a session. */
function closedTypesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const known = closedTypes.get(schema);
  if (known) return known;
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const open = new Set(fields.filter((field) => publishingOf(field) !== 'never').flatMap(returnedTypes));
  const closed = new Set(fields.filter((field) => publishingOf(field) === 'never').flatMap(returnedTypes));
  const nodes = Object.values(schema.getTypeMap()).filter((type) => isForSessions(nodeAccessOf(type)));
  const only = new Set([...closed, ...nodes.map(({ name }) => name)].filter((name) => !open.has(name)));
  closedTypes.set(schema, only);
  return only;
}

function returnedTypes({ type }: GraphQLField<unknown, unknown>): string[] {
  const named = getNamedType(type);
  if (!isObjectType(named)) return [];
  const items = named.getFields().nodes;
  return items ? [named.name, getNamedType(items.type).name] : [named.name];
}
