import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildASTSchema,
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

/** The arguments of `@rest`. */
export interface RestDirective {
  readonly get?: string;
  readonly post?: string;
  readonly put?: string;
  readonly patch?: string;
  readonly delete?: string;
  /** The variable that receives the request body, as an input object. It also receives path parameters without a variable. */
  readonly body?: string;
  /** Request headers that are fields of the body's input. `If-Match` is the field `ifMatch`. */
  readonly headers: readonly string[];
  /** The variable that receives all other query parameters and `name[key]`, as an object of strings. `name` is the variable. */
  readonly others?: string;
  /** The variable that receives the query parameters `name[key]`, as an object of strings. `name` is the variable. */
  readonly keyed?: string;
  /** The response body is the root field's value, without an enclosing object. */
  readonly unwrap: boolean;
  readonly status: number;
  /** The `Location` header: the path of the created object, with fields of the object in braces. */
  readonly location?: string;
  /**
   * A client can prefer not to wait (`Prefer: respond-async`). Then a turn that is still running is 202 with this
   * `Location`: the path of its feed, with fields of the body in braces.
   */
  readonly accepted?: string;
  /** The events of the subscription are sent as lines of JSON. */
  readonly lines: boolean;
  /** The subscription is a feed. Its events are sent as server-sent events; the field `cursor` is their `id`. */
  readonly feed: boolean;
  /** The response is public and must not be cached. */
  readonly anyOrigin: boolean;
  /** The document belongs to the UI message stream, which serves the path. It is not part of the REST API. */
  readonly ui: boolean;
}

/** The arguments of `@tool`: the document is also a tool of the MCP server. */
export interface ToolDirective {
  /** For people. */
  readonly title: string;
  /** Default: the name of the operation in snake case. */
  readonly name?: string;
  /** For models. Default: the description of the operation, which also describes headers and statuses of HTTP. */
  readonly description?: string;
  /** It can replace or remove data, although its root fields do not. */
  readonly destructive: boolean;
}

/** Directives of the REST documents. They are not part of the GraphQL API. */
export const REST_DIRECTIVES = parse(`
  directive @rest(
    get: String, post: String, put: String, patch: String, delete: String, body: String, headers: [String!]! = [], others: String, keyed: String, unwrap: Boolean! = false, status: Int! = 200,
    location: String, accepted: String, lines: Boolean! = false, feed: Boolean! = false, anyOrigin: Boolean! = false, ui: Boolean! = false
  ) on QUERY | MUTATION | SUBSCRIPTION
  "The document is also a tool of the MCP server."
  directive @tool(title: String!, name: String, description: String, destructive: Boolean! = false) on QUERY | MUTATION | SUBSCRIPTION
  "Replaces a field with its subfields."
  directive @spread on FIELD
  "Leaves a field out of the response if it is null."
  directive @optional on FIELD
  "Reads a variable from this request header. Sends a field as this response header instead of in the body."
  directive @header(name: String!) on VARIABLE_DEFINITION | FIELD
`);

const DIRECTIVES = buildASTSchema(REST_DIRECTIVES);

/** A REST operation: a GraphQL document and the arguments of its directives. */
export interface RestDocument {
  readonly name: string;
  readonly directive: RestDirective;
  readonly tool: ToolDirective | undefined;
  readonly operation: OperationDefinitionNode;
  /** The operation and its fragments. */
  readonly document: DocumentNode;
  readonly rootField: FieldNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** How documents are compiled. */
export interface CompileOptions {
  /** Skips the validation. A start does: the tests validate the documents, and to do it again is a tenth of a start. */
  readonly assumeValid?: boolean;
}

/**
 * Reads every document of `schema/rest`.
 * @throws {Error} with the file, line and column of the first invalid document
 */
export function loadDocuments(schema: GraphQLSchema, root: string, options: CompileOptions = {}): RestDocument[] {
  const directory = join(root, 'schema/rest');
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  const sources = files.map((name) => new Source(readFileSync(join(directory, name), 'utf8'), `schema/rest/${name}`));
  return compileDocuments(schema, sources, options);
}

/** @throws {Error} with the file, line and column of the first invalid document */
export function compileDocuments(
  schema: GraphQLSchema,
  sources: readonly Source[],
  { assumeValid = false }: CompileOptions = {},
): RestDocument[] {
  try {
    const all = concatAST(sources.map((source) => parse(source)));
    const [problem] = assumeValid ? [] : validate(extendSchema(schema, REST_DIRECTIVES), all);
    if (problem) throw problem;
    const fragments = new Map(
      all.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    const operations = all.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
    return operations.map((operation) => restDocument(operation, fragments));
  } catch (error) {
    throw error instanceof GraphQLError ? new Error(withLocation(error)) : error;
  }
}

function restDocument(
  operation: OperationDefinitionNode,
  all: ReadonlyMap<string, FragmentDefinitionNode>,
): RestDocument {
  const definition = DIRECTIVES.getDirective('rest');
  const directive = definition && (getDirectiveValues(definition, operation) as RestDirective | undefined);
  if (!directive) throw new GraphQLError('Every operation needs @rest with a method and a path.', { nodes: operation });
  const toolDefinition = DIRECTIVES.getDirective('tool');
  const tool = toolDefinition && (getDirectiveValues(toolDefinition, operation) as ToolDirective | undefined);
  const [rootField] = operation.selectionSet.selections;
  if (rootField?.kind !== Kind.FIELD || operation.selectionSet.selections.length !== 1 || !operation.name) {
    throw new GraphQLError('A REST operation needs a name and exactly one root field.', { nodes: operation });
  }
  const fragments = fragmentsOf(operation, all);
  const document = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] } as const;
  return { name: operation.name.value, directive, tool: tool ?? undefined, operation, document, rootField, fragments };
}

/** All fragments that an operation uses, directly or indirectly. */
function fragmentsOf(
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

function withLocation(error: GraphQLError): string {
  const file = error.source?.name ?? error.nodes?.[0]?.loc?.source.name ?? 'schema/rest';
  const [at] = error.locations ?? [];
  return `${file}:${at?.line ?? 1}:${at?.column ?? 1}: ${error.message}`;
}

/** The name of a field in the result. */
export function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

/** The header of a variable or field. Undefined without @header. */
export function headerOf(node: FieldNode | VariableDefinitionNode): string | undefined {
  const directive = node.directives?.find(({ name }) => name.value === 'header');
  const value = directive?.arguments?.find(({ name }) => name.value === 'name')?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}
