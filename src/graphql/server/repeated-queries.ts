import type { Request, Response } from 'express';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { BoundedCache } from '../../cache/bounded-cache.ts';
import { isBypassOn } from '../../contract/bypasses.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { TrustMode } from '../../contract/statuses.ts';
import type { Variables } from '../../operation/input.ts';
import { bytesOfDocument } from './document-cache.ts';

/** Longer headers are not worth remembering. */
const LONGEST_ACCEPT = 200;

/** A query that Yoga has executed before, with the parameters of this request. */
export interface RepeatedQuery {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variableValues: Variables | undefined;
  readonly params: { readonly query: string };
  /** The media type that Yoga chooses for this client. */
  readonly contentType: string;
}

/**
 * Queries that Yoga has parsed, validated and executed without an error. Their repetitions go to the pipeline directly, because
 * Yoga's request, response and hooks take half of the time of a small query. Anything unusual goes to Yoga.
 */
export class RepeatedQueries {
  readonly #mode: TrustMode;
  readonly #documents = new BoundedCache<DocumentNode>('repeatedQueries');
  readonly #contentTypes = new BoundedCache<string>('acceptedTypes');

  constructor(mode: TrustMode) {
    this.#mode = mode;
  }

  /** The query of a request. Undefined: Yoga must handle it. */
  find(request: Request): RepeatedQuery | undefined {
    const params = plainParams(request);
    const document = params && this.#documents.get(params.query);
    const contentType = this.#contentTypes.get(request.headers.accept ?? '');
    if (!document || contentType === undefined || !selectsQuery(document, params)) return undefined;
    const { query, operationName, variables } = params;
    const parts = { operationName: operationName ?? undefined, variableValues: variables ?? undefined };
    return { document, ...parts, params: { query }, contentType };
  }

  /** Remembers a request that Yoga has executed without an error, and its response. */
  add(request: Request, document: DocumentNode, response: Response): void {
    const params = plainParams(request);
    const contentType = response.getHeader('content-type');
    const { accept = '' } = request.headers;
    if (
      this.#mode === 'only' ||
      !isBypassOn('repeated-queries') ||
      !params ||
      typeof contentType !== 'string' ||
      response.statusCode !== 200
    )
      return;
    if (accept.length > LONGEST_ACCEPT || !/^application\/[\w+-]*json;/.test(contentType)) return;
    if (!selectsQuery(document, params)) return;
    if (!this.#documents.get(params.query)) {
      this.#documents.set(params.query, document, bytesOfDocument(document, params.query));
    }
    this.#contentTypes.set(accept, contentType, 2 * contentType.length);
  }
}

interface PlainParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Variables | null;
}

function selectsQuery(document: DocumentNode, { operationName }: PlainParams): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}

const PLAIN = new Set(['query', 'operationName', 'variables']);

/** The parameters of a POST that has only a document, a name and variables. Yoga handles all others, and reports errors. */
function plainParams({ method, body }: Request): PlainParams | undefined {
  if (method !== 'POST' || !isObject(body)) return undefined;
  for (const name in body) if (!PLAIN.has(name)) return undefined;
  const { query, operationName, variables } = body;
  const isPlain =
    typeof query === 'string' &&
    query.length <= LIMITS.queryLength &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables));
  return isPlain ? (body as unknown as PlainParams) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
