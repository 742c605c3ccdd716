import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { enumNameOf } from '../../contract/enum-names.ts';
import { ERROR_CODES } from '../../contract/errors.ts';
import type { HttpExtensions } from '../../operation/errors.ts';
import { withHttp } from '../../operation/mask.ts';

/** Writes the errors of every response that is not a stream in the form of the GraphQL API. */
export const publicErrors: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (!result || Symbol.asyncIterator in result || Array.isArray(result)) return;
    const { req } = serverContext as unknown as { readonly req: { readonly id?: unknown } };
    setResult(publicResult(result as ExecutionResult, String(req.id)) as typeof result);
  },
};

/** A result whose errors have the form of the GraphQL API. */
export function publicResult(result: ExecutionResult, requestId?: string): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map((error) => publicError(error, requestId)) } : result;
}

/**
 * An error of this service in the form of the GraphQL API: its code is a value of `ErrorCode`, its keys are in camel case.
 * Inside the service and in the REST API, errors have the words of the REST API.
 */
export function publicError(error: GraphQLError, requestId?: string): GraphQLError {
  const { code, ...facts } = error.extensions;
  if (!Object.hasOwn(ERROR_CODES, String(code))) return error;
  const extensions = { code: enumNameOf(String(code)), ...(requestId && { requestId }), ...camelCaseKeys(facts) };
  const { message, nodes = null, source = null, positions = null, path = null } = error;
  const converted = new GraphQLError(message, { nodes, source, positions, path, extensions });
  const http = error.extensions.http as HttpExtensions | undefined;
  return http ? withHttp(converted, http) : converted;
}

/** Renames keys, also of the objects in a list, but not inside their values: those belong to clients. */
function camelCaseKeys(facts: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      Array.isArray(value) ? value.map((item) => (isObject(item) ? camelCaseKeys(item) : item)) : value,
    ]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
