import {
  type ASTNode,
  type DirectiveNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LIMITS } from '../../contract/limits.ts';
import { headerOf, keyOf } from '../documents.ts';
import { closedFieldProblems } from './closed-fields.ts';
import { FIELD_HEADER, VARIABLE_HEADER } from './directives.ts';
import { problemAt } from './problem.ts';
import type { DocumentSource } from './source.ts';

/** What a valid GraphQL document must not contain to be published. Unlike in `schema/rest`, anybody can write these texts. */
export function ruleProblems(schema: GraphQLSchema, source: DocumentSource): GraphQLError[] {
  return [
    ...ofOperation(source),
    ...ofNames(source),
    ...closedFieldProblems(schema, source),
    ...ofHeaders(schema, source),
  ];
}

function ofOperation({ operation }: DocumentSource): GraphQLError[] {
  const { selections } = operation.selectionSet;
  const variables = operation.variableDefinitions ?? [];
  const problems: GraphQLError[] = [];
  const excess = variables[LIMITS.documentVariables];
  if (excess) problems.push(problemAt(excess, `A document can have at most ${LIMITS.documentVariables} variables.`));
  const fragment = selections.find(({ kind }) => kind !== Kind.FIELD);
  if (fragment) problems.push(problemAt(fragment, 'List the root fields directly, not in a fragment.'));
  if (operation.operation === 'mutation' && selections.length > 1) {
    problems.push(
      problemAt(selections[1], 'A mutation must have exactly one root field, so that it fails as a whole.'),
    );
  }
  const keys = new Set<string>();
  for (const field of selections) {
    if (field.kind !== Kind.FIELD) continue;
    if (keys.has(keyOf(field))) problems.push(problemAt(field, `The root field ${keyOf(field)} occurs twice.`));
    if (field.name.value === '__typename') problems.push(problemAt(field, 'Remove __typename from the root fields.'));
    keys.add(keyOf(field));
  }
  return problems;
}

const UNCERTAIN: ReadonlySet<string> = new Set(['skip', 'include']);

function ofNames({ document }: DocumentSource): GraphQLError[] {
  const problems: GraphQLError[] = [];
  const reserved = (node: ASTNode, name: string) => {
    if (name.startsWith('__')) problems.push(problemAt(node, `The name ${name} is reserved. Remove the underscores.`));
  };
  visit(document, {
    Field(node) {
      const { name, alias } = node;
      if (alias) reserved(node, alias.value);
      if (name.value === '__schema' || name.value === '__type') {
        problems.push(problemAt(node, 'A document cannot read the schema. Use introspection at /graphql.'));
      }
    },
    VariableDefinition: (node) => reserved(node, node.variable.name.value),
    Directive(node) {
      if (UNCERTAIN.has(node.name.value)) {
        const message = `@${node.name.value} is not available: the fields of a document's result never depend on its variables.`;
        problems.push(problemAt(node, message));
      }
    },
  });
  return problems;
}

function ofHeaders(schema: GraphQLSchema, { document }: DocumentSource): GraphQLError[] {
  const problems: GraphQLError[] = [];
  const types = new TypeInfo(schema);
  let lists = 0;
  let headers = 0;
  const isList = () => isListType(getNullableType(types.getType()));
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition(node) {
      if (!directiveOf(node.directives, 'header')) return;
      const type = typeFromAST(schema, node.type as never) as GraphQLInputType | undefined;
      const isText = type && !isListType(getNullableType(type)) && getNamedType(type).name === 'String';
      if (headerOf(node)?.toLowerCase() === VARIABLE_HEADER.toLowerCase() && isText) return;
      problems.push(problemAt(node, `A variable can only read the header ${VARIABLE_HEADER}, as a String.`));
    },
    Field: {
      enter(node) {
        if (isList()) lists += 1;
        const field = types.getFieldDef();
        if (directiveOf(node.directives, 'header')) {
          headers += 1;
          const isTag = headerOf(node) === FIELD_HEADER && field?.name === 'etag';
          if (!isTag || lists > 0 || headers > 1) {
            problems.push(
              problemAt(node, `Only one field \`etag\` can be a header: ${FIELD_HEADER}. It must not be in a list.`),
            );
          }
        }
        if (directiveOf(node.directives, 'spread')) problems.push(...spreadProblem(node, field));
      },
      leave() {
        if (isList()) lists -= 1;
      },
    },
  });
  visit(document, visitor);
  return problems;
}

function spreadProblem(node: ASTNode, field: GraphQLField<unknown, unknown> | null | undefined): GraphQLError[] {
  if (field && isObjectType(getNullableType(field.type))) return [];
  return [problemAt(node, '@spread needs a field that is one object.')];
}

export function directiveOf(directives: readonly DirectiveNode[] | undefined, name: string): DirectiveNode | undefined {
  return directives?.find((directive) => directive.name.value === name);
}
