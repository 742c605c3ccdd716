import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ERROR_CODES, ServiceError } from '../../contract/errors.ts';
import type { Log } from '../../domain/telemetry.ts';
import { documentError, graphqlError, wireErrorOf } from '../../operation/errors.ts';
import { headersOfError, mask, withHttp } from '../../operation/mask.ts';
import { PersistedQueryNotSupported } from './persisted-queries.ts';

/**
 * Converts Yoga's own errors (parsing, validation, HTTP methods) to errors of this service, and sets the HTTP status of
 * requests that were not executed.
 */
export function wireResults(log: Log): Plugin {
  return {
    onExecutionResult({ result, setResult }) {
      if (!result || Symbol.asyncIterator in result || Array.isArray(result)) return;
      const { errors, data } = result as ExecutionResult;
      if (!errors) return;
      const converted = errors.map((error) => convert(error, log));
      if (data === undefined) for (const error of converted) setStatus(error);
      setResult({ ...result, errors: converted } as typeof result);
    },
  };
}

/** Errors of the pipeline are final. All others are about the document. */
function convert(error: GraphQLError, log: Log): GraphQLError {
  const isFinal = Object.hasOwn(ERROR_CODES, String(error.extensions.code));
  if (isFinal || error.originalError instanceof ServiceError) return mask(error, { log, requestId: '' });
  const described = graphqlError(documentError(error), error);
  const http = error.extensions.http as Parameters<typeof withHttp>[1] | undefined;
  return http ? withHttp(described, http) : described;
}

/** The error of a request that was rejected before its document was executed. */
export function maskRejection(error: unknown, log: Log): GraphQLError {
  if (error instanceof PersistedQueryNotSupported) return error;
  const masked = mask(error, { log, requestId: '' });
  if (error instanceof ServiceError) setStatus(masked);
  return masked;
}

/** Statuses for every media type. */
const ALWAYS = new Set([406, 429, 503]);

function setStatus(error: GraphQLError): void {
  if (error.extensions.http) return;
  const wire = wireErrorOf(error);
  const isAlways = ALWAYS.has(wire.status);
  withHttp(error, { status: wire.status, headers: isAlways ? headersOfError(wire) : {}, spec: !isAlways });
}
