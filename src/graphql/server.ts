import type { IncomingMessage, RequestListener } from 'node:http';
import { GraphQLError, type GraphQLSchema, getOperationAST, Kind, visit } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { contextOf, type GraphContext } from './context.ts';
import { graphqlError, wireError } from './errors.ts';
import { checkVariables, isStorable } from './variables.ts';

/** The request as Express hands it on, with the id that the first middleware gave it. */
export interface IdentifiedRequest extends IncomingMessage {
  readonly id: string | number | object;
}

/** The GraphQL door at `/graphql` (WIRE 13). */
export function createGraphqlServer(schema: GraphQLSchema, services: Services): RequestListener {
  const yoga = createYoga<{ req: IdentifiedRequest }, GraphContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    // Closed: an origin is let in by a deployment's allowlist, never by default.
    cors: false,
    batching: false,
    logging: false,
    maskedErrors: {
      maskError: (error) => mask(error, services),
    },
    context: ({ req }) => openContext(services, req),
    plugins: [checkedInput(services)],
  });
  return yoga as unknown as RequestListener;
}

async function openContext(services: Services, request: IdentifiedRequest): Promise<GraphContext> {
  const requestId = String(request.id);
  try {
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const headers = { authorization, 'x-api-key': Array.isArray(apiKey) ? apiKey[0] : apiKey };
    return await contextOf(services, { headers, requestId });
  } catch (error) {
    const wire = wireError(error, { log: services.log, requestId });
    const masked = graphqlError(wire);
    const headers = wire.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    Object.assign(masked.extensions, { http: { status: wire.status, headers } });
    throw masked;
  }
}

function mask(error: unknown, services: Services): Error {
  const known = error instanceof GraphQLError ? error : undefined;
  // Already told in this service's words, or a fault of the document that carries its own code.
  if (known?.extensions.code !== undefined && !(known.originalError instanceof ServiceError)) return known;
  return graphqlError(wireError(error, { log: services.log, requestId: '' }), known);
}

/** Checks variables and literals before anything runs, so that both doors refuse the same input in the same words. */
function checkedInput(services: Services): Plugin<GraphContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      try {
        const operation = getOperationAST(args.document, args.operationName);
        if (operation) checkVariables(args.schema, operation, args.variableValues ?? {});
        visit(args.document, { [Kind.STRING]: ({ value }) => requireStorable(value) });
      } catch (error) {
        const { requestId } = args.contextValue as GraphContext;
        setResultAndStopExecution({ errors: [graphqlError(wireError(error, { log: services.log, requestId }))] });
      }
    },
  };
}

function requireStorable(text: string): void {
  if (isStorable(text)) return;
  throw new ServiceError(
    'invalid_request',
    'A string in the document holds a NUL character or half of a surrogate pair. Take it out.',
  );
}
