import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { OperationRequest } from '../../operation/operation-request.ts';
import { countDocumentCheck } from '../../operation/published-documents.ts';
import { EFFECTS } from '../../operation/publishing.ts';
import type { CompiledDocument } from '../../rest/published/compile.ts';
import type { Compiled, PublishedCompiler } from '../../rest/published/compiler.ts';
import { publishedOperation } from '../../rest/published/operation.ts';
import { searchSchema } from '../../rest/schema-text/search.ts';
import { typeText } from '../../rest/schema-text/type-text.ts';
import { objectOf } from './input-schema.ts';
import type { OwnTool } from './own-tool.ts';
import type { Call } from './tool-call.ts';

/** What the tools for the schema read. */
export interface SchemaAccess {
  /** The schema that callers of `/graphql` see. */
  readonly schema: GraphQLSchema;
  readonly compiler: PublishedCompiler;
  readonly maxCost: number;
  /** Whether callers may read the schema. */
  readonly introspection: boolean;
  /** Whether callers may send documents that are not registered. */
  readonly anyDocument: boolean;
}

/** The tools with which a model finds out about the GraphQL API, and reads with it. */
export function schemaTools(access: SchemaAccess): OwnTool[] {
  return [
    ...(access.introspection ? [searchTool(access), typeTool(access), checkTool(access)] : []),
    ...(access.anyDocument ? [queryTool(access)] : []),
  ];
}

const annotations = EFFECTS.reads;
const text = (description: string, maxLength: number) => ({ type: 'string', description, maxLength });

const searchTool = ({ schema }: SchemaAccess): OwnTool => ({
  name: 'search_schema',
  title: 'Search the GraphQL schema',
  description: `Finds types, fields and values of the GraphQL schema by words of their names and descriptions: at most ${LIMITS.schemaSearchResults}, one line each.`,
  inputSchema: objectOf({ words: text('Words, such as "conversation cost".', LIMITS.schemaSearchLength) }, ['words']),
  outputSchema: objectOf({
    members: { type: 'array', items: { type: 'object', properties: { coordinate: {}, line: {} } } },
    total: { type: 'integer' },
  }),
  annotations,
  run: ({ words }) => searchSchema(schema, String(words)),
});

const typeTool = ({ schema }: SchemaAccess): OwnTool => ({
  name: 'read_type',
  title: 'Read a type of the GraphQL schema',
  description: 'The SDL of one type. Start with `Query`. Large types have pages.',
  inputSchema: objectOf(
    {
      name: text('The name of the type.', LIMITS.documentNameLength),
      page: { type: 'integer', minimum: 1, default: 1, description: 'The page of a large type.' },
    },
    ['name'],
  ),
  outputSchema: objectOf({ sdl: { type: 'string' }, page: { type: 'integer' }, pages: { type: 'integer' } }),
  annotations,
  async run({ name, page = 1 }) {
    const found = typeText(schema, String(name), Number(page));
    if (found) return found;
    const isType = schema.getType(String(name)) !== undefined;
    const problem = isType ? 'The type has no such page.' : 'There is no such type. Find it with search_schema.';
    throw new ServiceError('not_found', problem, { param: [isType ? 'page' : 'name'] });
  },
});

const QUERY = text('A GraphQL document with one operation and its fragments.', LIMITS.documentLength);

const checkTool = ({ compiler, maxCost }: SchemaAccess): OwnTool => ({
  name: 'check_document',
  title: 'Check a GraphQL document',
  description:
    'Validates a query or mutation without running it: its problems with their places, or its root fields, the scopes that it needs and its highest cost.',
  inputSchema: objectOf({ document: QUERY }, ['document']),
  outputSchema: objectOf({
    problems: { type: 'array', items: { type: 'object', properties: { message: {}, line: {}, column: {} } } },
    kind: { type: 'string' },
    root_fields: { type: 'array' },
    scopes: { type: 'array' },
    max_cost: { type: 'integer' },
    cost_limit: { type: 'integer' },
  }),
  annotations,
  async run({ document }, { opened }) {
    await countDocumentCheck(opened);
    const { problems, document: compiled } = await compiler.compile(NAME, String(document));
    return compiled ? factsOf(compiled, maxCost) : { problems };
  },
});

/** A text without a name is compiled under this name, which only its path would have. */
const NAME = 'document';

function factsOf({ route, contract }: CompiledDocument, maxCost: number): object {
  return {
    problems: [],
    kind: contract.kind,
    root_fields: route.roots.map(({ field }) => field.name),
    scopes: contract.scopes,
    max_cost: Math.min(contract.cost, Number.MAX_SAFE_INTEGER),
    cost_limit: maxCost,
  };
}

const queryTool = ({ compiler }: SchemaAccess): OwnTool => ({
  name: 'run_query',
  title: 'Run a GraphQL query',
  description:
    'Runs a GraphQL query with the permissions and limits of /graphql. Mutations and subscriptions are rejected.',
  inputSchema: objectOf({ query: QUERY, variables: { type: 'object', description: 'The values of its variables.' } }, [
    'query',
  ]),
  outputSchema: objectOf({ data: { type: 'object' } }),
  annotations,
  async run({ query, variables = {} }, call) {
    await countDocumentCheck(call.opened);
    const { route, contract } = compiledQuery(await compiler.compile(NAME, String(query)));
    if (contract.kind !== 'query') throw invalidQuery('runs only queries. Publish a mutation to make it a tool');
    const operation = publishedOperation(route, {
      variables: () => variables as Readonly<Record<string, unknown>>,
      key: undefined,
    });
    return runQuery({ ...operation, throwsErrors: false }, call);
  },
});

async function runQuery(operation: OperationRequest, { pipeline, opened }: Call) {
  const outcome = await pipeline.run(opened, operation);
  if (outcome.kind === 'stream') throw new Error('A query is no stream.');
  const [error] = outcome.result.errors ?? [];
  if (error) throw error;
  return { data: outcome.result.data ?? {} };
}

/** @throws {ServiceError} invalid_request with the place of the first problem */
function compiledQuery({ problems, document }: Compiled): CompiledDocument {
  if (document) return document;
  const [{ message, line, column }] = problems;
  throw invalidQuery(`is not valid at line ${line}, column ${column}: ${message.replace(/\.$/, '')}`);
}

const invalidQuery = (problem: string) =>
  new ServiceError('invalid_request', `{param} ${problem}.`, { param: ['query'] });
