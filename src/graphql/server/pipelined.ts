import type { Request } from 'express';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import type { OperationCost } from '../../operation/document-cost.ts';
import { isTemporary } from '../../operation/errors.ts';
import { GRAPHQL_INPUT, type Variables } from '../../operation/input.ts';
import type { OpenRequest, OperationRequest } from '../../operation/operation-request.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { planOf } from '../../operation/plan.ts';
import { countedRun } from '../../operation/published-documents.ts';
import type { Results } from '../../operation/subscription-results.ts';
import { requestsCost, withCost } from './query-cost.ts';
import { requireStreamFormat } from './stream-negotiation.ts';

/** What the pipeline hands to the plugins that write the response. Yoga's own results cannot carry a stream. */
export interface PipelineOutput {
  /** Whether the operation reached the pipeline: its document is valid and its caller identified. */
  isExecuted: boolean;
  /** Whether the client has named a trusted document by its ID or its text. */
  isTrusted?: boolean;
  /** The published document that the request names. */
  documentId?: string;
  /** Whether it is a feed that its client can continue. */
  isResumable?: boolean;
  /** Whether the stream with the error of a rejected feed has no end, so that its client tries again. */
  isInterrupted?: boolean;
  /** Whether the operation has succeeded. */
  hasSucceeded?: boolean;
  /** The results of an open subscription. */
  results?: Results;
  /** The executed document. */
  document?: DocumentNode;
  /** The outcome of a repeated query that has errors, which Yoga writes. */
  outcome?: Outcome;
}

/** The context that Yoga passes to the pipeline. */
export interface Served {
  readonly req: Request;
  readonly opened: OpenRequest;
  /** Set if the results go to a stream that is already open. */
  readonly operationId?: string;
  readonly params?: { readonly query?: string; readonly extensions?: Variables };
}

/** Executes every operation with the pipeline: queries, mutations and subscriptions. */
export function pipelined(pipeline: Pipeline): Plugin {
  const run = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const { output, ...served } = args.contextValue as Served & { readonly output: PipelineOutput };
    output.isExecuted = true;
    output.document = args.document;
    output.isResumable = isResumable(args);
    const outcome = output.outcome ?? (await execute(pipeline, args, { ...served, documentId: output.documentId }));
    output.hasSucceeded = outcome.kind === 'result' && outcome.result.errors === undefined;
    if (outcome.kind === 'result') return outcome.result;
    output.results = outcome.results;
    return {};
  };
  return {
    onExecute: ({ setExecuteFn }) => setExecuteFn(run),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(run),
  };
}

function isResumable({ schema, document, operationName }: ExecutionArgs): boolean {
  const operation = getOperationAST(document, operationName);
  return operation !== null && operation !== undefined && planOf(schema, document, operation).isResumable;
}

/**
 * Whether the errors are no reason for a client to give up: they are temporary, and its next attempt repeats nothing.
 */
export function isRetryable({ isExecuted, isResumable }: PipelineOutput, { errors }: ExecutionResult): boolean {
  return errors?.some(isTemporary) === true && (!isExecuted || isResumable === true);
}

/** Executes an operation, and counts it if it is a published document. */
export function execute(
  pipeline: Pipeline,
  args: Operation,
  served: Served & { readonly documentId?: string | undefined },
): Promise<Outcome> {
  return countedRun(served.opened, served.documentId, () =>
    runOperation(pipeline, served.opened, operationOf(args, served), served.req),
  );
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

/** An operation of a valid document. */
type Operation = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'>;

function operationOf(args: Operation, served: Served): OperationRequest {
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
