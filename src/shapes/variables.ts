import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { input, placed, required } from './field.ts';
import { list, map, text, textOf } from './kinds.ts';
import { boundsByName, KEY, valuesByName } from './values-by-name.ts';

const MOST = LIMITS.variables;
const LENGTH = LIMITS.variableLength;

const LONGEST = `must have at most ${formatCount(LENGTH)} characters`;

/** The text of a variable: strings as they are, other values as JSON. */
export function variableText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const VARIABLE = input('VariableInput', 'A value for the instructions. It replaces {{NAME}}.', {
  name: required(
    textOf(z.string().check(z.regex(KEY, `must have 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`)), {
      says: `1 to ${LIMITS.keyLength} letters, digits, _, . or -`,
      note: 'Unique in the list.',
    }),
  ),
  value: required(text({ says: 'Text of {bounds}', most: LENGTH, canBeBlank: true, note: 'It can be empty.' })),
});

/** Variables in the GraphQL API: a list. */
export const variables = (note?: string) =>
  placed(
    { inRest: false },
    list(VARIABLE, { says: 'Values for the instructions', most: MOST, noun: 'items', ...(note && { note }) }),
  );

/** Variables in the REST API: an object. */
function variablesByName<Rule extends z.ZodMiniType<unknown, Readonly<Record<string, unknown>>>>(
  rule: Rule,
  says: string,
  note: string,
  value: object,
) {
  const given = { says, note, range: `at most ${MOST}`, bounds: boundsByName(MOST, { ...value }) };
  return placed({ internal: true, inRest: 'variables' }, map(rule, given));
}

const LONG = { type: 'string', maxLength: LENGTH } as const;

/** Variables of a conversation: strings by name. */
export const startVariables = variablesByName(
  valuesByName(z.string('must be a string').check(z.maxLength(LENGTH, LONGEST)), MOST),
  'Strings by name, for the instructions',
  'Only with the first message.',
  LONG,
);

/** Variables of a one-shot run: numbers and booleans are written as text. */
export const oneShotVariables = variablesByName(
  z.pipe(
    valuesByName(
      z.union(
        [z.string().check(z.maxLength(LENGTH, LONGEST)), z.number(), z.boolean()],
        `must be a string of at most ${formatCount(LENGTH)} characters, a number or a boolean`,
      ),
      MOST,
    ),
    z.transform((all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, variableText(value)]))),
  ),
  'Strings, numbers or booleans by name, for the instructions',
  'Numbers and booleans are inserted as text.',
  { anyOf: [LONG, { type: 'number' }, { type: 'boolean' }] },
);

/** Variables of a trigger: any JSON by name. The text of each has the length limit of a variable. */
export const triggerVariables = variablesByName(
  valuesByName(z.unknown().check(z.refine((value) => variableText(value).length <= LENGTH, LONGEST)), MOST),
  'Variables by name, for the instructions',
  'Values other than strings are inserted as JSON.',
  { maxLength: LENGTH },
);
