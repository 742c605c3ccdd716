import type { Request, RequestHandler } from 'express';
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { createYoga, handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { contextOf, type GraphContext } from './context.ts';
import { graphqlError, type WireError, wireError } from './errors.ts';
import { endingWithCaller, isFeed } from './feed-end.ts';
import { accessOf, requireAccess } from './field-scope.ts';
import { idempotentMutations } from './idempotency.ts';
import { checkVariables, isStorable } from './variables.ts';

const ENDPOINT = '/graphql';

/** More than any person writes and any tool makes; a parser takes stack for each level. */
const MAX_TOKENS = 10_000;

/** The GraphQL door at `/graphql` (WIRE 13). */
export function createGraphqlServer(schema: GraphQLSchema, services: Services): RequestHandler {
  const yoga = createYoga<{ req: Request }, GraphContext>({
    schema,
    graphqlEndpoint: ENDPOINT,
    landingPage: false,
    graphiql: false,
    // Closed: an origin is let in by a deployment's allowlist, never by default.
    cors: false,
    batching: false,
    logging: false,
    maskedErrors: {
      maskError: (error) => mask(error, services, ''),
    },
    plugins: [
      boundedDocument,
      callerContext(services),
      checkedInput(services),
      idempotentMutations(services),
      watchedSubscriptions(services),
    ],
  });
  return (request, response, next) => {
    // What lies below the endpoint is none of it.
    if (request.originalUrl.split('?')[0] !== ENDPOINT) return next();
    if (request.method === 'POST') requireDocument(request.body);
    void yoga(request as never, response);
  };
}

/** Yoga would read a body without a document as one that is not JSON. */
function requireDocument(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  }
  if (typeof (body as { query?: unknown }).query === 'string') return;
  throw new ServiceError('invalid_request', '{param} must be a string: the GraphQL document.', { param: ['query'] });
}

const boundedDocument: Plugin = {
  onParse({ parseFn, setParseFn }) {
    setParseFn((source, options) => {
      try {
        return parseFn(source, { ...options, maxTokens: MAX_TOKENS });
      } catch (error) {
        throw error instanceof RangeError ? new GraphQLError('The document is nested too deeply.') : error;
      }
    });
  },
};

/**
 * Adds the caller's view as it is: read while it is copied, it would refuse whoever has no credentials, also to ask
 * for what is public.
 */
function callerContext(services: Services): Plugin {
  return {
    async onContextBuilding({ context }) {
      const { req } = context as unknown as { req: Request };
      Object.defineProperties(context, Object.getOwnPropertyDescriptors(await openContext(services, req)));
    },
  };
}

async function openContext(services: Services, request: Request): Promise<GraphContext> {
  const requestId = String(request.id);
  try {
    return await contextOf(services, request);
  } catch (error) {
    const wire = wireError(error, { log: services.log, requestId });
    throw withStatus(graphqlError(wire), wire.status);
  }
}

/** HTTP's own status, beside the one in `extensions`. */
function withStatus(error: GraphQLError, status: number): GraphQLError {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  Object.assign(error.extensions, { http: { status, headers } });
  return error;
}

function mask(error: unknown, services: Services, requestId: string): Error {
  const known = error instanceof GraphQLError ? error : undefined;
  // Already told in this service's words, or a fault of the document that carries its own code.
  if (known?.extensions.code !== undefined && !(known.originalError instanceof ServiceError)) return known;
  return told(wireError(error, { log: services.log, requestId }), known);
}

/** Missing credentials are HTTP's business too; any other error is told in an answer that HTTP calls well. */
function told(wire: WireError, original?: GraphQLError): GraphQLError {
  const error = graphqlError(wire, original);
  return wire.status === 401 ? withStatus(error, 401) : error;
}

/** Checks variables and literals before anything runs, so that both doors refuse the same input in the same words. */
function checkedInput(services: Services): Plugin<GraphContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const context = args.contextValue as GraphContext;
      const { requestId } = context;
      try {
        const operation = getOperationAST(args.document, args.operationName);
        if (operation) checkOperation(args.schema, operation, args.variableValues ?? {}, context);
        visit(args.document, { [Kind.STRING]: ({ value }) => requireStorable(value) });
      } catch (error) {
        setResultAndStopExecution({ errors: [told(wireError(error, { log: services.log, requestId }))] });
      }
      return {
        onExecuteDone: (done) =>
          handleStreamOrSingleExecutionResult(done, ({ result, setResult }) => {
            if (!result.errors) return;
            const errors = result.errors.map((error) => mask(error, services, requestId) as GraphQLError);
            setResult({ ...result, errors });
          }),
      };
    },
  };
}

/** Credentials come before what a request holds (WIRE 3), so a wrong input is told to those alone who may send it. */
function checkOperation(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  context: GraphContext,
): void {
  try {
    checkVariables(schema, operation, variables);
  } catch (error) {
    const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
    for (const selection of operation.selectionSet.selections) {
      const field = selection.kind === Kind.FIELD ? fields[selection.name.value] : undefined;
      if (field) requireAccess(accessOf(field), context);
    }
    throw error;
  }
}

function requireStorable(text: string): void {
  if (isStorable(text)) return;
  throw new ServiceError(
    'invalid_request',
    'A string in the document holds a NUL character or half of a surrogate pair. Take it out.',
  );
}

/** Subscriptions are counted while they are open, and end with the credential that opened them. */
function watchedSubscriptions({ observer }: Services): Plugin<GraphContext> {
  return {
    onSubscribe: ({ args }) => ({
      onSubscribeResult: ({ result, setResult }) => {
        // A refused subscription is a plain result, and nothing that stays open.
        if (!(Symbol.asyncIterator in result)) return {};
        const field = getOperationAST(args.document, args.operationName)?.selectionSet.selections[0];
        const fields = args.schema.getSubscriptionType()?.getFields() ?? {};
        const feed = field?.kind === Kind.FIELD && isFeed(fields[field.name.value]);
        const source = result as AsyncIterableIterator<ExecutionResult>;
        setResult(endingWithCaller(source, args.contextValue as GraphContext, feed));
        return { onEnd: observer.subscriptionOpened() };
      },
    }),
  };
}
