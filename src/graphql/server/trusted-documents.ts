import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLSchema, parse, validate } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import type { TrustMode } from '../../contract/statuses.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { cannotRun, findTrusted, requireAuthorized } from '../../operation/published-documents.ts';
import { PersistedQueryNotSupported } from './persisted-queries.ts';
import type { PipelineOutput } from './pipelined.ts';

/** The documents in `schema/documents`, by their SHA-256 in hexadecimal. */
export interface TrustedDocuments {
  readonly mode: TrustMode;
  readonly byId: ReadonlyMap<string, string>;
}

/** The ID of a document: the SHA-256 of its text. */
export function idOfDocument(document: string): string {
  return hash('sha256', document, 'hex');
}

/**
 * Reads every manifest: a JSON object of documents by ID.
 * @throws {Error} with the file and ID of the first document that is invalid or has a wrong ID
 */
export function loadTrustedDocuments(schema: GraphQLSchema, root: string, mode: TrustMode): TrustedDocuments {
  const byId = new Map<string, string>();
  const directory = join(root, 'schema/documents');
  if (mode === 'off' || !existsSync(directory)) return { mode, byId };
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
    const manifest = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Record<string, string>;
    for (const [id, document] of Object.entries(manifest)) {
      const problem = problemOf(schema, id, document);
      if (problem) throw new Error(`schema/documents/${name}: ${id}: ${problem}`);
      byId.set(id, document);
    }
  }
  return { mode, byId };
}

function problemOf(schema: GraphQLSchema, id: string, document: string): string | undefined {
  if (idOfDocument(document) !== id) return 'the ID is not the SHA-256 of the document.';
  try {
    return validate(schema, parse(document))[0]?.message;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The part of the server context that this plugin uses. Rejected requests do not get here. */
interface Served {
  readonly opened: OpenRequest;
  readonly output: PipelineOutput;
}

/** The parameters that can identify a document. */
export interface DocumentParams {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

interface DocumentId {
  readonly id: unknown;
  readonly param: readonly string[];
  /** Whether the client sends the full document after an error of Apollo's protocol. */
  readonly isApollo: boolean;
}

/** The document ID of a request: `documentId` of GraphQL over HTTP, or Apollo's `persistedQuery`. */
export function documentIdOf({ documentId, extensions }: DocumentParams): DocumentId | undefined {
  if (documentId != null) return { id: documentId, param: ['documentId'], isApollo: false };
  const persisted = (extensions as { persistedQuery?: { sha256Hash?: unknown } } | null | undefined)?.persistedQuery;
  if (persisted?.sha256Hash == null) return undefined;
  return { id: persisted.sha256Hash, param: ['extensions', 'persistedQuery', 'sha256Hash'], isApollo: true };
}

/**
 * Replaces a document ID with its text. In the mode `only`, rejects documents that are not trusted. In the other modes
 * clients of Apollo's protocol learn that they must send the document, because this service does not store it.
 */
export function trustedDocuments(trusted: TrustedDocuments): Plugin {
  return {
    async onParams({ params, setParams, context }) {
      const { variables, operationName, extensions } = params;
      const query = await textOf(trusted, params as DocumentParams, context as unknown as Served);
      // Unknown parameters are ignored.
      setParams({ query, variables, operationName, extensions } as GraphQLParams);
    },
  };
}

async function textOf({ mode, byId }: TrustedDocuments, params: DocumentParams, served: Served): Promise<unknown> {
  const { query } = params;
  const documentId = documentIdOf(params);
  if (mode === 'off' || !documentId) {
    if (documentId && query == null) throw unsupported(documentId);
    if (mode === 'only') await requireTrusted(byId, query, served);
    return query;
  }
  const id = typeof documentId.id === 'string' ? documentId.id.replace(/^sha256:/, '') : undefined;
  const text = id === undefined ? undefined : await trustedText(byId, id, served);
  if (text !== undefined) return text;
  if (mode === 'prefer' && typeof query === 'string') return query;
  if (mode === 'prefer' && documentId.isApollo) throw new PersistedQueryNotSupported();
  throw invalid(documentId, 'is not the ID of a trusted document');
}

/** @throws {ServiceError} invalid_request if the text is not itself a trusted document */
async function requireTrusted(byId: TrustedDocuments['byId'], query: unknown, served: Served): Promise<void> {
  const isTrusted = typeof query === 'string' && (await trustedText(byId, idOfDocument(query), served)) !== undefined;
  if (isTrusted) return;
  throw new ServiceError(
    'invalid_request',
    'This service accepts only trusted documents. Send the SHA-256 of a registered document in {param}.',
    { param: ['documentId'] },
  );
}

const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * The text of a document of the service, or of one that the caller's environment has published. The caller is identified,
 * and the request is counted. Callers without credentials have only the documents of the service.
 */
async function trustedText(
  byId: TrustedDocuments['byId'],
  id: string,
  { opened, output }: Served,
): Promise<string | undefined> {
  const own = byId.get(id);
  if (own !== undefined) {
    output.isTrusted = true;
    return own;
  }
  const [version, ...others] = SHA_256.test(id) ? await findTrusted(opened, id) : [];
  if (!version) return undefined;
  const { contract, problems } = await opened.services.ports.documents.checkVersion(version);
  if (!contract) throw cannotRun(version, problems);
  const { documentId } = await requireAuthorized([version, ...others], contract);
  output.isTrusted = true;
  output.documentId = documentId;
  return contract.trustedText;
}

function unsupported(documentId: DocumentId): Error {
  if (documentId.isApollo) return new PersistedQueryNotSupported();
  return invalid(documentId, 'is not supported. Send the document in `query`');
}

function invalid({ param }: DocumentId, problem: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${problem}.`, { param });
}
