import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  concatAST,
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  type VariableDefinitionNode,
  validate,
} from 'graphql';

/** What `@rest` says of an operation. */
export interface RestDirective {
  readonly get?: string;
  readonly post?: string;
  readonly patch?: string;
  readonly delete?: string;
  /** The variable that takes the request's body. */
  readonly body?: string;
  /** The variable that takes every query name which is no variable's, as an object of strings. */
  readonly others?: string;
  /** The answer is the root field's value, not an object that holds it. */
  readonly unwrap: boolean;
  readonly status: number;
  /** A subscription whose events are answered as lines of JSON. */
  readonly lines: boolean;
  /** Public: a page of any origin may read it, and nobody on the way may keep it. */
  readonly anyOrigin: boolean;
}

/** Directives that only the facade knows; GraphQL itself passes over them. */
const REST_DIRECTIVES = parse(`
  directive @rest(
    get: String, post: String, patch: String, delete: String, body: String, others: String, unwrap: Boolean! = false, status: Int! = 200,
    lines: Boolean! = false, anyOrigin: Boolean! = false
  ) on QUERY | MUTATION | SUBSCRIPTION
  "Puts a field's own fields in its place."
  directive @spread on FIELD
  "Fills a variable from this header of the request; sends a field as this header of the answer, not in its body."
  directive @header(name: String!) on VARIABLE_DEFINITION | FIELD
`);

/** One REST operation: a GraphQL document and what the facade needs to know of it. */
export interface RestDocument {
  readonly name: string;
  readonly directive: RestDirective;
  readonly operation: OperationDefinitionNode;
  /** The operation with the fragments that it uses. */
  readonly document: DocumentNode;
  readonly rootField: FieldNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/**
 * Reads and checks every document of `schema/rest`.
 * @throws {Error} naming file, line and column of the first one that the schema does not accept
 */
export function loadDocuments(schema: GraphQLSchema, root: string): RestDocument[] {
  const directory = join(root, 'schema/rest');
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  const sources = files.map((name) => new Source(readFileSync(join(directory, name), 'utf8'), `schema/rest/${name}`));
  return compileDocuments(schema, sources);
}

/** @throws {Error} naming file, line and column */
export function compileDocuments(schema: GraphQLSchema, sources: readonly Source[]): RestDocument[] {
  const known = extendSchema(schema, REST_DIRECTIVES);
  try {
    const all = concatAST(sources.map((source) => parse(source)));
    const [problem] = validate(known, all);
    if (problem) throw problem;
    const fragments = new Map(
      all.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    const operations = all.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
    return operations.map((operation) => restDocument(known, operation, fragments));
  } catch (error) {
    throw error instanceof GraphQLError ? new Error(placed(error)) : error;
  }
}

function restDocument(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  all: ReadonlyMap<string, FragmentDefinitionNode>,
): RestDocument {
  const definition = schema.getDirective('rest');
  const directive = definition && (getDirectiveValues(definition, operation) as RestDirective | undefined);
  if (!directive) throw new GraphQLError('Every operation needs @rest with a method and a path.', { nodes: operation });
  const [rootField] = operation.selectionSet.selections;
  if (rootField?.kind !== Kind.FIELD || operation.selectionSet.selections.length !== 1 || !operation.name) {
    throw new GraphQLError('A REST operation has a name and exactly one root field.', { nodes: operation });
  }
  const fragments = used(operation, all);
  const document = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] } as const;
  return { name: operation.name.value, directive, operation, document, rootField, fragments };
}

/** The fragments that a definition reaches. */
function used(
  operation: OperationDefinitionNode,
  all: ReadonlyMap<string, FragmentDefinitionNode>,
): Map<string, FragmentDefinitionNode> {
  const reached = new Map<string, FragmentDefinitionNode>();
  const visit = (node: { selectionSet?: FieldNode['selectionSet'] }): void => {
    for (const selection of node.selectionSet?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        visit(selection as { selectionSet?: FieldNode['selectionSet'] });
        continue;
      }
      const fragment = all.get(selection.name.value);
      if (!fragment || reached.has(fragment.name.value)) continue;
      reached.set(fragment.name.value, fragment);
      visit(fragment);
    }
  };
  visit(operation);
  return reached;
}

function placed(error: GraphQLError): string {
  const file = error.source?.name ?? error.nodes?.[0]?.loc?.source.name ?? 'schema/rest';
  const [at] = error.locations ?? [];
  return `${file}:${at?.line ?? 1}:${at?.column ?? 1}: ${error.message}`;
}

/** The header that a variable or field is bound to; undefined where it is none. */
export function headerOf(node: FieldNode | VariableDefinitionNode): string | undefined {
  const directive = node.directives?.find(({ name }) => name.value === 'header');
  const value = directive?.arguments?.find(({ name }) => name.value === 'name')?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}
