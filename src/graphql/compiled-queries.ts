import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Compiled, compile } from './compiled.ts';
import type { GraphContext } from './context.ts';

/** From its so manieth execution on a document is worth its compilation. */
const WORTH_IT = 3;

interface Known {
  uses: number;
  /** By the name of the operation; undefined where it cannot be compiled. */
  readonly compiled: Map<string, Compiled | undefined>;
}

/** Queries that clients send again and again are compiled. The server keeps parsed documents for as long as they are in use. */
export function compiledQueries(): Plugin<GraphContext> {
  const known = new WeakMap<DocumentNode, Known>();
  return {
    onExecute({ args, setExecuteFn }) {
      const { document } = args;
      const { uses, compiled } = known.get(document) ?? { uses: 0, compiled: new Map() };
      known.set(document, { uses: uses + 1, compiled });
      if (uses + 1 < WORTH_IT) return;
      const name = args.operationName ?? '';
      if (!compiled.has(name)) compiled.set(name, compiledOf(args));
      const run = compiled.get(name);
      if (run)
        setExecuteFn(async (given: ExecutionArgs) =>
          inPlace(given, await run(given.variableValues ?? {}, given.contextValue as GraphContext)),
        );
    },
  };
}

/** Changes are never compiled: they are about what they change. Nor is what has directives, which the compiler takes apart otherwise. */
function compiledOf({ schema, document, operationName }: ExecutionArgs): Compiled | undefined {
  if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return undefined;
  let hasDirectives = false;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      hasDirectives = true;
    },
  });
  return hasDirectives ? undefined : compile(schema, document, operationName);
}

/** Errors with the fields that they are of, as they have them where a document is interpreted. */
function inPlace({ document, operationName }: ExecutionArgs, result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const { message, path = null, originalError = null } = error;
    return new GraphQLError(message, { nodes: nodesAt(document, operationName, path), path, originalError });
  });
  return { ...result, errors };
}

function nodesAt(
  document: DocumentNode,
  operationName: ExecutionArgs['operationName'],
  path: GraphQLError['path'] | null,
): FieldNode[] {
  let sets: SelectionSetNode[] = [getOperationAST(document, operationName)?.selectionSet].filter(
    (set) => set !== undefined,
  );
  let nodes: FieldNode[] = [];
  for (const key of path ?? []) {
    if (typeof key === 'number') continue;
    nodes = sets.flatMap((set) => fieldsOf(document, set)).filter(({ name, alias }) => (alias ?? name).value === key);
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return nodes;
}

function fieldsOf(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(document, selection.selectionSet);
    const spread = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return spread?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(document, spread.selectionSet) : [];
  });
}
