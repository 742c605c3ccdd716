import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { messageContent } from './content-input.ts';

const KEY = /^[A-Za-z0-9_.-]{1,64}$/;

const KEY_RULE = `must have keys of 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`;

/** Query names of the conversation list, which a meta filter could not be told from. */
const RESERVED_META = new Set(['page', 'page_size']);

/** Initial conversation variables: strings by name (SPEC 4.1, WIRE 1). */
export const variablesInput = z
  .record(
    z.string(),
    z
      .string('must be a string')
      .max(LIMITS.variableLength, `must have at most ${LIMITS.variableLength.toLocaleString('en')} characters`),
  )
  .refine((map) => Object.keys(map).every((key) => KEY.test(key)), KEY_RULE)
  .refine((map) => Object.keys(map).length <= LIMITS.variables, `must have at most ${LIMITS.variables} keys`);

const metaValue = z.union(
  [z.string().max(LIMITS.metaLength), z.number().refine(Number.isFinite), z.boolean()],
  `must be a string of at most ${LIMITS.metaLength} characters, a finite number or a boolean`,
);

/** Searchable labels by name (SPEC 4.1, WIRE 1). */
export const metaInput = z
  .record(z.string(), metaValue)
  .refine((map) => Object.keys(map).every((key) => KEY.test(key)), KEY_RULE)
  .refine(
    (map) => !Object.keys(map).some((key) => RESERVED_META.has(key)),
    'must not use the keys page and page_size, which page through the conversation list',
  )
  .refine((map) => Object.keys(map).length <= LIMITS.metaKeys, `must have at most ${LIMITS.metaKeys} keys`);

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
