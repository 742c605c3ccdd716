import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { accessOf, requireAccess } from './field-scope.ts';
import { mask, told } from './mask.ts';
import { checkVariables, isStorable } from './variables.ts';

/** Checks variables and literals before anything runs, so that both doors refuse the same input in the same words. */
export function checkedInput(services: Services): Plugin<GraphContext> {
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      const context = args.contextValue as GraphContext;
      const { requestId } = context;
      try {
        const operation = getOperationAST(args.document, args.operationName);
        if (operation) await checkOperation(args.schema, operation, args.variableValues ?? {}, context);
        requireStorableTexts(args.document);
      } catch (error) {
        setResultAndStopExecution({ errors: [told(wireError(error, { log: services.log, requestId }))] });
      }
      return {
        onExecuteDone: (done) =>
          handleStreamOrSingleExecutionResult(done, ({ result, setResult }) => {
            if (!result.errors) return;
            const isKnown = context.caller !== undefined;
            const errors = result.errors.map((error) => mask(error, services, { requestId, isKnown }));
            setResult({ ...result, errors });
          }),
      };
    },
  };
}

/** Credentials come before what a request holds (WIRE 3), so a wrong input is told to those alone who may send it. */
async function checkOperation(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  context: GraphContext,
): Promise<void> {
  try {
    checkVariables(schema, operation, variables);
  } catch (error) {
    const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
    for (const selection of operation.selectionSet.selections) {
      if (selection.kind !== Kind.FIELD) continue;
      const field = fields[selection.name.value];
      if (field) await requireAccess(accessOf(field), context, addressOf(selection, variables));
    }
    throw error;
  }
}

/** Documents are parsed once for all requests that send the same text. */
const storable = new WeakSet<DocumentNode>();

function requireStorableTexts(document: DocumentNode): void {
  if (storable.has(document)) return;
  visit(document, { [Kind.STRING]: ({ value }) => requireStorable(value) });
  storable.add(document);
}

function requireStorable(text: string): void {
  if (isStorable(text)) return;
  throw new ServiceError(
    'invalid_request',
    'A string in the document holds a NUL character or half of a surrogate pair. Take it out.',
  );
}

/** The deployment or conversation that a field names, as far as it is one. */
function addressOf({ arguments: given = [] }: FieldNode, variables: Readonly<Record<string, unknown>>): RunnerAddress {
  const id = (name: string) => {
    const value = given.find((argument) => argument.name.value === name)?.value;
    const named = value?.kind === Kind.VARIABLE ? variables[value.name.value] : value && valueFromASTUntyped(value);
    const text = typeof named === 'string' ? named.toLowerCase() : '';
    return UUID_PATTERN.test(text) ? text : undefined;
  };
  return { deploymentId: id('deploymentId'), conversationId: id('conversationId') };
}
