import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { type Input, input, required } from './field.ts';
import { list, textOf } from './kinds.ts';

/** A token of RFC 9110. */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Visible characters, with spaces and tabs between them. */
const VALUE = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** Headers of the connection. The HTTP client writes them. */
const NOT_FOR_USERS = [
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
];

const nameRule = z.string().check(
  z.maxLength(LIMITS.headerNameLength, `must have at most ${LIMITS.headerNameLength} characters`),
  z.regex(NAME, 'must be the name of an HTTP header'),
  z.refine(
    (name) => !NOT_FOR_USERS.includes(name.toLowerCase()),
    'must not be a header that the connection itself needs',
  ),
);

const SIZE = `at most ${formatBytes(LIMITS.headerValueBytes)}`;

const valueRule = z.string().check(
  z.regex(VALUE, 'must be visible characters of Latin-1, with spaces and tabs between them alone'),
  z.refine((value) => new TextEncoder().encode(value).length <= LIMITS.headerValueBytes, `must have ${SIZE}`),
);

/** The input of one header: what to say about its name and its value. */
export const header = (
  name: string,
  says: string,
  texts: { of: string; note: string; value: string; valueNote?: string },
) =>
  input(name, says, {
    name: required(textOf(nameRule, { says: texts.of, note: texts.note })),
    value: required(
      textOf(valueRule, { says: `${texts.value}, ${SIZE}`, ...(texts.valueNote && { note: texts.valueNote }) }),
    ),
  });

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Headers to send, each name once. */
export function headers(of: Input<ReturnType<typeof header>['fields']>, says: string, form?: string) {
  const field = list(of, { says, most: LIMITS.integrationHeaders, noun: 'headers', ...(form && { form }) });
  const once = z.refine<readonly Header[]>(
    (all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length,
    'must not hold a name twice',
  );
  return { ...field, rule: z.nullish(required(field).rule.check(once)) };
}
