import type { DocumentNode } from 'graphql';
import { BoundedCache } from '../../cache/bounded-cache.ts';

/** Bytes of the parsed, planned and compiled form of a document, per token. */
const BYTES_PER_TOKEN = 1_000;

/** Bytes of a syntax error, without the text. */
const ERROR_BYTES = 2_000;

/** Bytes of a document in memory. A text without tokens, such as a comment, takes only its own bytes. */
export function bytesOfDocument({ loc }: DocumentNode, text: string): number {
  let tokens = 1;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + BYTES_PER_TOKEN * tokens;
}

/** The caches of Yoga for parsed documents. It would bound only their number. Both endpoints share them. */
export function documentCaches() {
  const documents = new BoundedCache<DocumentNode>('parsedDocuments');
  const errors = new BoundedCache<Error>('documentErrors');
  return {
    documentCache: {
      get: (text: string) => documents.get(text),
      set: (text: string, document: DocumentNode) => documents.set(text, document, bytesOfDocument(document, text)),
    },
    errorCache: {
      get: (text: string) => errors.get(text),
      set: (text: string, error: Error) => errors.set(text, error, ERROR_BYTES + 2 * text.length),
    },
    validationCache: true,
  };
}
