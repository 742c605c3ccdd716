import { APICallError } from '@ai-sdk/provider';
import { exactText, roughNumber } from '../contract/exact-json.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Fields } from './reply/fields.ts';

const STATUS_BY_WORD = [
  ['insufficient_quota', 429],
  ['rate_limit', 429],
  ['authentication', 401],
  ['permission', 403],
  ['not_found', 404],
  ['invalid', 400],
  ['overloaded', 529],
] as const;

/**
 * An error that a provider sends instead of a reply, with the status 200. It counts like a response with the status of
 * such an error, so it is repeated like one.
 */
export function rejectionOf(error: unknown): APICallError {
  const { type, code } = typeof error === 'object' && error !== null ? (error as Fields) : {};
  // An object can have a `toString` that is no function.
  const words = [type, code].filter((word) => typeof word === 'string').join(' ');
  const statusCode = STATUS_BY_WORD.find(([word]) => words.includes(word))?.[1] ?? statusOf(code);
  const message = 'The provider sent an error instead of a reply.';
  const responseBody = exactText(error).slice(0, LIMITS.providerErrorBytes);
  // Without a quota, every further attempt fails too.
  const isRetryable = (statusCode === 429 && !words.includes('quota')) || statusCode >= 500;
  return new APICallError({ message, url: '', requestBodyValues: {}, statusCode, responseBody, isRetryable });
}

function statusOf(code: unknown): number {
  const status = typeof code === 'string' ? Number(code) : (roughNumber(code) ?? 0);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}
