import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { TOOL_NAME_PATTERN } from '../contract/tool-names.ts';
import { anyObject, map, text, textOf } from './kinds.ts';

const LETTERS = 'starting with a letter';

/** The rule of a tool's name. */
const toolNameRule = z
  .string()
  .check(z.regex(TOOL_NAME_PATTERN, `must be 1 to ${LIMITS.toolNameLength} letters, digits, "_" or "-", ${LETTERS}`));

/** The name of a tool. */
export const toolName = (note?: string, most: number = LIMITS.toolNameLength) =>
  textOf(
    most < LIMITS.toolNameLength
      ? toolNameRule.check(z.maxLength(most, `must have at most ${most} characters`))
      : toolNameRule,
    {
      says: `1 to ${most} letters, digits, _ or -, ${LETTERS}`,
      most,
      ...(note && { note }),
    },
  );

/** An unvalidated JSON Schema. */
export const jsonSchema = (what = '', form?: string) =>
  map(anyObject, {
    says: `${what}A JSON Schema of type object: at most ${formatBytes(LIMITS.schemaBytes)}, without external references`,
    ...(form && { form }),
  });

/** The description of a tool. */
export const toolDescription = text({
  says: 'The description for the model, {bounds}',
  most: LIMITS.toolDescriptionLength,
  canBeBlank: true,
});
