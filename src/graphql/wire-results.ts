import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { headersOfStatus, mask, tellHttp } from './mask.ts';

/**
 * Tells errors of the server's own (of parsing, of validation, of methods) in this service's words, like all others, and
 * HTTP of requests that were never executed: as GraphQL over HTTP has it, where a client reads its media type, and with
 * 200 where it reads JSON alone. Without introspection no error suggests names of the schema.
 */
export function wireResults(services: Services, introspection: boolean): Plugin {
  return {
    onExecutionResult({ result, setResult }) {
      if (!result || Symbol.asyncIterator in result || Array.isArray(result)) return;
      const { errors, data } = result as ExecutionResult;
      if (!errors) return;
      const told = errors
        .map((error) => mask(error, services, { requestId: '' }))
        .map((error) => (introspection ? error : withoutSuggestion(error)));
      if (data === undefined) for (const error of told) tellStatus(error);
      setResult({ ...result, errors: told } as typeof result);
    },
  };
}

/** What a client is told of an error that is thrown at the request itself, and not at one of its fields. */
export function maskRefusal(error: unknown, services: Services): GraphQLError {
  const masked = mask(error, services, { requestId: '' });
  if (error instanceof ServiceError) tellStatus(masked);
  return masked;
}

function tellStatus(error: GraphQLError): void {
  if (error.extensions.http) return;
  const { status } = error.extensions as { readonly status: number };
  const isUnavailable = status === 503;
  tellHttp(error, { status, headers: isUnavailable ? headersOfStatus(status) : {}, spec: !isUnavailable });
}

function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/ Did you mean .*\?$/s, '');
  if (message === error.message) return error;
  const { nodes = null, source = null, positions = null, path = null, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
