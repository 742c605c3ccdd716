import type { Request } from 'express';
import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import type { OperationCost } from '../../operation/document-cost.ts';
import { GRAPHQL_INPUT, type Variables } from '../../operation/input.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { OpenRequest, OperationRequest, Pipeline } from '../../operation/pipeline.ts';
import type { Results } from '../../operation/subscription-results.ts';
import { requestsCost, withCost } from './query-cost.ts';
import { requireStreamFormat } from './stream-negotiation.ts';

/** What the pipeline hands to the plugins that write the response. Yoga's own results cannot carry a stream. */
export interface PipelineOutput {
  /** Whether the operation reached the pipeline: its document is valid and its caller identified. */
  isExecuted: boolean;
  /** The results of an open subscription. */
  results?: Results;
}

/** The context that Yoga passes to the pipeline. */
interface Served {
  readonly req: Request;
  readonly opened: OpenRequest;
  readonly output: PipelineOutput;
  /** Set if the results go to a stream that is already open. */
  readonly operationId?: string;
  readonly params?: { readonly query?: string; readonly extensions?: Variables };
}

/** Executes every operation with the pipeline: queries, mutations and subscriptions. */
export function pipelined(pipeline: Pipeline): Plugin {
  const run = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const served = args.contextValue as Served;
    served.output.isExecuted = true;
    const outcome = await runOperation(pipeline, served.opened, operationOf(args, served), served.req);
    if (outcome.kind === 'result') return outcome.result;
    served.output.results = outcome.results;
    return {};
  };
  return {
    onExecute: ({ setExecuteFn }) => setExecuteFn(run),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(run),
  };
}

/** Runs the operation, and adds its cost if the client requests it. */
async function runOperation(
  pipeline: Pipeline,
  opened: OpenRequest,
  operation: OperationRequest,
  request: Request,
): Promise<Outcome> {
  if (!requestsCost(request)) return pipeline.run(opened, operation);
  let cost: OperationCost | undefined;
  const reportCost = (reported: OperationCost) => {
    cost = reported;
  };
  const outcome = await pipeline.run(opened, { ...operation, reportCost });
  return cost ? withCost(outcome, cost) : outcome;
}

function operationOf(args: ExecutionArgs, served: Served): OperationRequest {
  const { schema, document, operationName, variableValues } = args;
  const { req, params, operationId } = served;
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    const message = 'The document has several operations. Name one of them in {param}.';
    throw new ServiceError('invalid_request', message, { param: ['operationName'] });
  }
  const variables = variableValues ?? {};
  return {
    schema,
    document,
    operation,
    isOwn: false,
    variables: () => variables,
    style: GRAPHQL_INPUT,
    key: keyOf(served),
    fingerprint: () => ['graphql', params?.query, operation.name?.value, variables],
    requireStream: () => {
      if (operationId === undefined) requireStreamFormat(req);
    },
  };
}

/** @throws {ServiceError} invalid_request */
function keyOf({ req, params }: Served): string | undefined {
  const key = params?.extensions?.idempotencyKey ?? req.get('idempotency-key');
  if (key === undefined || typeof key === 'string') return key;
  throw new ServiceError('invalid_request', '{param} must be a string.', { param: ['extensions', 'idempotencyKey'] });
}
