import { type ASTNode, GraphQLError } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import type { DocumentProblem } from '../../domain/documents/compiler-port.ts';

/** A rule of published documents that a text breaks, at a node of the text. */
export function problemAt(node: ASTNode | undefined, message: string): GraphQLError {
  return new GraphQLError(message, node ? { nodes: node } : {});
}

/** The problem that an error of parsing, validating or compiling is about. Rethrows everything that is a fault. */
export function problemOf(error: unknown): DocumentProblem {
  if (error instanceof ServiceError) return { message: error.message, line: 1, column: 1 };
  if (!(error instanceof GraphQLError)) throw error;
  const [at] = error.locations ?? [];
  // A literal that a scalar rejects is a problem of the text. A fault has no place in it.
  if (error.originalError && !at) throw error;
  return { message: error.message, line: at?.line ?? 1, column: at?.column ?? 1 };
}
