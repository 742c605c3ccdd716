import type { Request, RequestHandler } from 'express';
import { type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { checkedInput } from './checked-input.ts';
import { contextOf, type GraphContext } from './context.ts';
import { graphqlError, wireError } from './errors.ts';
import { endingWithCaller, isFeed } from './feed-end.ts';
import { idempotentMutations } from './idempotency.ts';
import { mask, withStatus } from './mask.ts';

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
