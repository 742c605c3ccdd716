import { z } from 'zod';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** A token of RFC 9110. */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Visible characters, with spaces and tabs between them. */
const VALUE = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** Headers of the connection. The HTTP client writes them. */
const NOT_FOR_USERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const VALUE_RULE = 'must be visible characters of Latin-1, with spaces and tabs between them alone';

const header = z.object({
  name: z
    .string()
    .max(LIMITS.headerNameLength, `must have at most ${LIMITS.headerNameLength} characters`)
    .regex(NAME, 'must be the name of an HTTP header')
    .refine((name) => !NOT_FOR_USERS.has(name.toLowerCase()), 'must not be a header that the connection itself needs'),
  value: z
    .string()
    .regex(VALUE, VALUE_RULE)
    .refine(
      (value) => Buffer.byteLength(value) <= LIMITS.headerValueBytes,
      `must have at most ${formatBytes(LIMITS.headerValueBytes)}`,
    ),
});

/** Headers to send, each name once. */
export const headersInput = z
  .array(header)
  .max(LIMITS.integrationHeaders, `must hold at most ${LIMITS.integrationHeaders} headers`)
  .refine(
    (headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length,
    'must not hold a name twice',
  )
  .nullish();
