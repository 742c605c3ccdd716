import type { Environment } from '../location.ts';

/** The response to a try of a document. */
export interface Trial {
  readonly status: number;
  readonly durationMs: number;
  readonly body: unknown;
}

interface TrialRequest {
  readonly text: string;
  readonly variables: object;
  readonly environment: Environment;
}

/** Runs an operation as the signed-in member. @throws {TypeError} if the service could not be reached */
export async function tryDocument({ text, variables, environment }: TrialRequest): Promise<Trial> {
  const startedMs = performance.now();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-environment': environment },
    body: JSON.stringify({ query: text, variables }),
  });
  const body: unknown = await response.json();
  return { status: response.status, durationMs: performance.now() - startedMs, body };
}

/** The message of an error response of REST. */
export function errorMessageOf(body: unknown): string {
  const { error } = (body ?? {}) as { readonly error?: { readonly message?: string } };
  return error?.message ?? 'The request failed. Try again.';
}
