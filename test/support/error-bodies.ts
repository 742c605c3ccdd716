import { expect } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { Answer } from './client.ts';

/** What an error says of the request. `message` is only looked into. */
export interface ErrorFacts {
  readonly param?: string | null;
  readonly message?: string | RegExp;
  /** What stands beside the message. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Asserts the error body of WIRE 3, and that it belongs to this request. */
export function expectError(answer: Answer, code: ErrorCode, { param, message, facts = {} }: ErrorFacts = {}): void {
  const { status, type } = ERROR_CODES[code];
  expect(answer.body).toEqual({
    error: {
      type,
      code,
      message: message === undefined ? expect.any(String) : expect.stringMatching(message),
      param: param === undefined ? expect.toBeOneOf([expect.any(String), null]) : param,
      ...facts,
    },
    request_id: answer.headers.get('x-request-id'),
  });
  expect(answer.status).toBe(status);
}

/** Asserts that any answer with an error has the body of WIRE 3, whichever error it is. */
export function expectEnvelope(answer: Answer): void {
  const code: string = answer.body?.error?.code;
  expect(Object.keys(ERROR_CODES)).toContain(code);
  expectError(answer, code as ErrorCode);
}

/** Asserts the same error as GraphQL tells it. */
export function expectGraphqlError(
  answer: Answer,
  code: ErrorCode,
  { param, message, facts = {} }: ErrorFacts = {},
): void {
  const [error] = answer.body.errors ?? [];
  expect(error?.extensions).toEqual({
    ...ERROR_CODES[code],
    code,
    param: param === undefined ? expect.toBeOneOf([expect.any(String), null]) : param,
    ...facts,
  });
  if (message !== undefined) expect(error.message).toMatch(message);
}

/** Asserts an error that kept a request from being executed, as the path that was asked tells it. */
export function expectRefusal(path: string, answer: Answer, code: ErrorCode, facts: ErrorFacts = {}): void {
  if (path === '/graphql') {
    expectGraphqlError(answer, code, facts);
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.status).toBe(ERROR_CODES[code].status);
  } else {
    expectError(answer, code, facts);
  }
}
