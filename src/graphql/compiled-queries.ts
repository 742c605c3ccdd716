import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Compiled, compile } from './compiled.ts';
import type { GraphContext } from './context.ts';

/** The execution of a document from which on it is worth being compiled. */
const WORTH_IT = 3;

interface Known {
  uses: number;
  /** Undefined where it cannot be compiled. */
  run?: Compiled | undefined;
}

/** Queries that clients send again and again are compiled. The server keeps parsed documents for as long as they are in use. */
export function compiledQueries(): Plugin<GraphContext> {
  const operations = new WeakMap<OperationDefinitionNode, Known>();
  return {
    onExecute({ args, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== OperationTypeNode.QUERY) return;
      const known = operations.get(operation) ?? { uses: 0 };
      operations.set(operation, known);
      known.uses += 1;
      if (known.uses === WORTH_IT) known.run = compiledOf(args);
      const { run } = known;
      if (!run) return;
      setExecuteFn(async (given: ExecutionArgs) =>
        inPlace(given, await run(given.variableValues ?? {}, given.contextValue as GraphContext)),
      );
    },
  };
}

/** Not what has directives, which the compiler takes apart otherwise. */
function compiledOf({ schema, document, operationName }: ExecutionArgs): Compiled | undefined {
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
