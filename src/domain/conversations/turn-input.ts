import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { messageContent } from './content-input.ts';

/** A key of variables and meta (WIRE 1). */
export const KEY = /^[A-Za-z0-9_.-]{1,64}$/;

const KEY_RULE = `must have keys of 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`;

/** Query names of the conversation list, which a meta filter could not be told from. */
const RESERVED_META = new Set(['page', 'page_size']);

/** Values by name. (zod's own record passes over a key named `__proto__`, and its value would be lost silently.) */
function valuesByName<Value extends z.ZodType>(value: Value, mostKeys: number) {
  return z
    .custom<Readonly<Record<string, z.output<Value>>>>(isObject, 'must be an object')
    .superRefine((map, context) => {
      const entries = Object.entries(map);
      const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
      if (entries.length > mostKeys) return refuse(`must have at most ${mostKeys} keys`);
      if (!entries.every(([key]) => KEY.test(key))) return refuse(KEY_RULE);
      for (const [key, item] of entries) {
        const problem = value.safeParse(item).error?.issues[0];
        if (problem) refuse(problem.message, [key]);
      }
    });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Initial conversation variables: strings by name (SPEC 4.1, WIRE 1). */
const variablesInput = valuesByName(
  z
    .string('must be a string')
    .max(LIMITS.variableLength, `must have at most ${LIMITS.variableLength.toLocaleString('en')} characters`),
  LIMITS.variables,
);

const metaValue = z.custom<string | number | boolean>((value) => {
  if (typeof value === 'string') return value.length <= LIMITS.metaLength;
  return typeof value === 'boolean' || Number.isFinite(value);
}, `must be a string of at most ${LIMITS.metaLength} characters, a finite number or a boolean`);

/** Searchable labels by name (SPEC 4.1, WIRE 1). */
const metaInput = valuesByName(metaValue, LIMITS.metaKeys).refine(
  (map) => !Object.keys(map).some((key) => RESERVED_META.has(key)),
  'must not use the keys page and page_size, which page through the conversation list',
);

/** What starts or continues a conversation, by v1 and v2 alike. */
export const turnInput = z
  .object({
    content: messageContent,
    conversationId: z.guid('must be a UUID').toLowerCase().nullish(),
    variables: variablesInput.nullish(),
    meta: metaInput.nullish(),
    historyLimit: z
      .int('must be a whole number')
      .min(0, `must be from 0 to ${LIMITS.historyLimit}`)
      .max(LIMITS.historyLimit, `must be from 0 to ${LIMITS.historyLimit}`)
      .nullish(),
  })
  .superRefine((input, context) => {
    if (!input.conversationId) return;
    for (const field of ['variables', 'meta'] as const) {
      if (!input[field]) continue;
      const message = 'is taken with the first message of a conversation only: leave it out';
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

export type TurnInput = z.output<typeof turnInput>;
