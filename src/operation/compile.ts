import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { OperationContext } from './context.ts';
import type { Variables } from './input.ts';
import type { OperationPlan } from './plan.ts';

/** Executes an operation with coerced variables. */
export type Execute = (variables: Variables, context: OperationContext) => ExecutionResult | Promise<ExecutionResult>;

/** A client's query is compiled when it is executed for the third time. Compiling pays off only for repeated queries. */
const COMPILED_AT = 3;

interface Executor {
  uses: number;
  run: Execute;
}

const operations = new WeakMap<OperationDefinitionNode, Executor>();

/** Returns the interpreted or compiled executor. `isOwn`: a document of the service, which is compiled immediately. */
export function executorOf(plan: OperationPlan, isOwn: boolean): Execute {
  const executor = operations.get(plan.operation) ?? { uses: 0, run: interpreted(plan) };
  operations.set(plan.operation, executor);
  executor.uses += 1;
  if (executor.uses === (isOwn ? 1 : COMPILED_AT) && (isOwn || isCompilable(plan))) {
    executor.run = compiled(plan) ?? executor.run;
  }
  return executor.run;
}

function interpreted({ schema, executable, operation }: OperationPlan): Execute {
  return (variableValues, contextValue) =>
    execute({
      schema,
      document: executable,
      operationName: operation.name?.value,
      variableValues,
      contextValue,
    }) as ExecutionResult | Promise<ExecutionResult>;
}

/** Undefined if the document cannot be compiled. */
function compiled(plan: OperationPlan): Execute | undefined {
  const { schema, executable, operation } = plan;
  const query = compileQuery(schema, executable, operation.name?.value);
  if (!isCompiledQuery(query)) return undefined;
  return async (variables, context) => located(plan, await query.query(undefined, context, variables));
}

/** Only queries without directives are compiled: the compiler handles directives differently from graphql-js. */
function isCompilable({ document, kind }: OperationPlan): boolean {
  let hasDirectives = false;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      hasDirectives = true;
    },
  });
  return kind === OperationTypeNode.QUERY && !hasDirectives;
}

/** Adds the locations that graphql-js would report to the compiler's errors. */
function located({ document, operation }: OperationPlan, result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const { message, path = null } = error;
    // A value that violates the schema is an internal error, as in graphql-js.
    const originalError = error.originalError ?? new Error(message);
    return new GraphQLError(message, { nodes: nodesAt(document, operation, path), path, originalError });
  });
  return { ...result, errors };
}

function nodesAt(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  path: GraphQLError['path'] | null,
): FieldNode[] {
  let sets: SelectionSetNode[] = [selectionSet];
  let nodes: FieldNode[] = [];
  for (const key of path ?? []) {
    if (typeof key === 'number') continue;
    nodes = sets.flatMap((set) => fieldsOf(document, set)).filter(({ name, alias }) => (alias ?? name).value === key);
    sets = nodes.flatMap((node) => node.selectionSet ?? []);
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
