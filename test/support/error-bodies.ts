import { expect } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { HttpResponse } from './client.ts';
import { inRestWords, returnedError } from './results.ts';

/** The facts of an error. `message` is matched, not compared. */
export interface ErrorFacts {
  readonly param?: string | null;
  readonly message?: string | RegExp;
  /** The fields next to the message. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Asserts the body of an error, and that it belongs to this request. */
export function expectError(
  response: HttpResponse,
  code: ErrorCode,
  { param, message, facts = {} }: ErrorFacts = {},
): void {
  const { status, type } = ERROR_CODES[code];
  expect(response.body).toEqual({
    error: {
      type,
      code,
      message: message === undefined ? expect.any(String) : expect.stringMatching(message),
      param: param === undefined ? expect.toBeOneOf([expect.any(String), null]) : param,
      ...facts,
    },
    request_id: response.headers.get('x-request-id'),
  });
  expect(response.status).toBe(status);
}

/** Asserts that a response with any error has the body of an error. */
export function expectEnvelope(response: HttpResponse): void {
  const code: string = response.body?.error?.code;
  expect(Object.keys(ERROR_CODES)).toContain(code);
  expectError(response, code as ErrorCode);
}

/** Asserts the same error in GraphQL's form: in `errors`, or as the result of a mutation. `facts` are only about `errors`. */
export function expectGraphqlError(
  response: HttpResponse,
  code: ErrorCode,
  { param, message, facts = {} }: ErrorFacts = {},
): void {
  const returned = returnedError(response.body);
  if (returned) {
    expect(returned.code).toBe(code);
    if (param !== undefined) expect(returned.param).toBe(param);
    if (message !== undefined) expect(returned.message).toMatch(message);
    return;
  }
  const [error] = response.body.errors ?? [];
  const { request_id: requestId, retry_after_ms: _wait, ...extensions } = inRestWords(error?.extensions ?? {});
  expect(error?.extensions.code).toBe(code.toUpperCase());
  expect(requestId).toEqual(expect.any(String));
  expect(extensions).toEqual({
    ...ERROR_CODES[code],
    code,
    param: param === undefined ? expect.toBeOneOf([expect.any(String), null]) : param,
    ...facts,
  });
  if (message !== undefined) expect(error.message).toMatch(message);
}

/** Asserts an error before execution, in the form of the requested path. */
export function expectRejection(path: string, response: HttpResponse, code: ErrorCode, facts: ErrorFacts = {}): void {
  if (path === '/graphql') {
    expectGraphqlError(response, code, facts);
    expect(response.body).not.toHaveProperty('data');
    expect(response.status).toBe(ERROR_CODES[code].status);
  } else {
    expectError(response, code, facts);
  }
}
