import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import type { Log } from '../../domain/telemetry.ts';
import { graphqlError, wireError } from '../../operation/errors.ts';
import { checkJson, variablePath } from '../../operation/json-bounds.ts';
import { headersOfError, withHttp } from '../../operation/mask.ts';
import { documentIdOf } from './trusted-documents.ts';

const TEXTS = ['query', 'operationName', 'documentId'] as const;

const OBJECTS = ['variables', 'extensions'] as const;

/** The part of the server context that this plugin uses. */
interface Served {
  readonly req: { readonly body: unknown; readonly id: unknown };
  /** The error of a request that was rejected before its document is read. */
  readonly rejection?: unknown;
}

/** Reads the parameters of a request after its caller is identified. Errors set the HTTP status for every media type. */
export function requestParams(log: Log): Plugin {
  return {
    onRequestParse({ request, url, serverContext, setRequestParser }) {
      const { req, rejection } = serverContext as unknown as Served;
      setRequestParser(() => {
        try {
          if (rejection !== undefined) throw rejection;
          const params = request.method === 'GET' ? queryParams(url.searchParams) : bodyParams(req.body);
          requireLength(params);
          return params;
        } catch (error) {
          const wire = wireError(error, { log, requestId: String(req.id) });
          throw withHttp(graphqlError(wire), { status: wire.status, headers: headersOfError(wire) });
        }
      });
    },
  };
}

/**
 * Limits the document before anything hashes, stores or parses it.
 * @throws {ServiceError} invalid_request
 */
function requireLength({ query }: GraphQLParams): void {
  if (typeof query !== 'string' || query.length <= LIMITS.queryLength) return;
  const message = `{param} must have at most ${formatCount(LIMITS.queryLength)} characters.`;
  throw new ServiceError('invalid_request', message, { param: ['query'] });
}

/** @throws {ServiceError} invalid_json, invalid_request */
function queryParams(query: URLSearchParams): GraphQLParams {
  const texts = TEXTS.map((name) => [name, query.get(name) || undefined] as const);
  const objects = OBJECTS.map((name) => [name, jsonOf(name, query.get(name))] as const);
  return Object.fromEntries([...texts, ...objects]);
}

function jsonOf(name: string, text: string | null): unknown {
  if (!text) return undefined;
  checkJson(Buffer.from(text), name === 'variables' ? variablePath : undefined);
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', '{param} is not valid JSON.', { param: [name] });
  }
}

/** @throws {ServiceError} invalid_request */
function bodyParams(body: unknown): GraphQLParams {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  }
  const { query } = body as { query?: unknown };
  if (typeof query === 'string' || (query == null && documentIdOf(body))) return body as GraphQLParams;
  throw new ServiceError('invalid_request', '{param} must be a string: the GraphQL document.', { param: ['query'] });
}
