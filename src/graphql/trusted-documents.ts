import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLSchema, parse, validate } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { TrustMode } from '../contract/trust-mode.ts';

/** The documents of `schema/documents`, by their SHA-256 in hexadecimal. */
export interface TrustedDocuments {
  readonly mode: TrustMode;
  readonly byId: ReadonlyMap<string, string>;
}

/** The id of a document: of its very text. */
export function idOfDocument(document: string): string {
  return hash('sha256', document, 'hex');
}

/**
 * Reads every manifest: a JSON object of documents by id.
 * @throws {Error} naming file and id of the first document that is not its id's, or that the schema does not accept
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
  if (idOfDocument(document) !== id) return 'this is not the SHA-256 of the document.';
  try {
    return validate(schema, parse(document))[0]?.message;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What a client sends beside GraphQL's own parameters. */
export interface DocumentParams {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

interface NamedId {
  readonly id: unknown;
  readonly param: readonly string[];
}

/** The id that a request names its document by: as the persisted documents of GraphQL over HTTP do, or as Apollo does. */
export function documentIdOf({ documentId, extensions }: DocumentParams): NamedId | undefined {
  if (documentId != null) return { id: documentId, param: ['documentId'] };
  const persisted = (extensions as { persistedQuery?: { sha256Hash?: unknown } } | null | undefined)?.persistedQuery;
  if (persisted?.sha256Hash == null) return undefined;
  return { id: persisted.sha256Hash, param: ['extensions', 'persistedQuery', 'sha256Hash'] };
}

/** Puts the text in the place of its id, and refuses what is not trusted where nothing else is taken. */
export function trustedDocuments(trusted: TrustedDocuments): Plugin {
  return {
    onParams({ params, setParams }) {
      const { variables, operationName, extensions } = params;
      const query = textOf(trusted, params as DocumentParams);
      // Other parameters are for newer services than this one (WIRE 1).
      setParams({ query, variables, operationName, extensions } as GraphQLParams);
    },
  };
}

function textOf({ mode, byId }: TrustedDocuments, params: DocumentParams): unknown {
  const { query } = params;
  const named = documentIdOf(params);
  if (mode === 'off' || !named) {
    if (named && query == null)
      throw refused(named, 'names a document, and this service takes documents in full alone');
    if (mode !== 'only' || (typeof query === 'string' && byId.has(idOfDocument(query)))) return query;
    throw new ServiceError(
      'invalid_request',
      'This service takes trusted documents alone: send {param}, the SHA-256 of one that was registered.',
      { param: ['documentId'] },
    );
  }
  const known = typeof named.id === 'string' ? byId.get(named.id.replace(/^sha256:/, '')) : undefined;
  if (known !== undefined) return known;
  if (mode === 'prefer' && typeof query === 'string') return query;
  throw refused(named, 'is not the id of a trusted document');
}

function refused({ param }: NamedId, says: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${says}.`, { param });
}
