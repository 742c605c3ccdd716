import * as z from 'zod/mini';
import { type EnumName, enumNameOf } from '../../../contract/enum-names.ts';
import { type ChoiceField, type Field, type FlagField, mapFields, type Shape } from '../../../shapes/field.ts';
import {
  atMost,
  converted,
  formatJson,
  optionalInteger,
  optionalJsonObject,
  optionalNumber,
  optionalText,
} from './rules.ts';

/** What a form has for a field, and what it sends: numbers, lists and JSON are text fields. */
type FormRule<Of extends Field> = Of extends FlagField
  ? z.ZodMiniType<boolean, boolean>
  : Of extends ChoiceField<infer Value, infer Default>
    ? null extends Default
      ? z.ZodMiniType<EnumName<Value> | null, EnumName<Value> | ''>
      : z.ZodMiniType<EnumName<Value>, EnumName<Value>>
    : Of extends { readonly kind: 'integer' | 'number' }
      ? z.ZodMiniType<number | null, string>
      : Of extends { readonly kind: 'map' | 'object' }
        ? z.ZodMiniType<Record<string, unknown> | null, string>
        : z.ZodMiniType<Of['byDefault'], string>;

type FormValues<Fields extends Shape> = { [Name in keyof Fields]: z.input<FormRule<Fields[Name]>> };

/** The values of a shape as the GraphQL API has them: enums by name. */
type Stored<Fields extends Shape> = { readonly [Name in keyof Fields]: z.output<FormRule<Fields[Name]>> };

/** The rules of a form with all fields of a shape. */
export function formRules<Fields extends Shape>(shape: Fields) {
  return mapFields(shape, formRule) as unknown as { [Name in keyof Fields]: FormRule<Fields[Name]> };
}

function formRule(field: Field): z.ZodMiniType {
  switch (field.kind) {
    case 'flag':
      return z.boolean();
    case 'choice': {
      const names = field.values.map((value) => enumNameOf(value));
      return field.byDefault === null ? converted(z.enum(['', ...names]), orNull) : z.enum(names);
    }
    case 'text':
      return field.byDefault === null ? converted(optionalText(field.most), orNull) : optionalText(field.most);
    case 'map':
    case 'object':
      return optionalJsonObject;
    case 'integer':
      return optionalInteger(field.least, field.most);
    case 'number':
      return optionalNumber(field.least, field.most);
    case 'texts':
      return converted(z.string(), field.isByLine ? linesOf : textsOf).check(atMost(field.most, field.noun));
    default:
      throw new Error(`Forms have no rule for fields of the kind ${field.kind}.`);
  }
}

/** Empty fields become null, which the service replaces by the default. */
const orNull = (text: string) => text.trim() || null;

function textsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The values of a form with all fields of a shape. */
export function formValues<Fields extends Shape>(shape: Fields, stored: Stored<Fields>): FormValues<Fields> {
  return mapFields(shape, ({ kind }, name) => {
    const value = stored[name] as unknown;
    if (kind === 'texts') return (value as string[]).join('\n');
    if (kind === 'object') return jsonText(value && withoutNulls(value));
    if (kind === 'map') return jsonText(value);
    return kind === 'integer' || kind === 'number' ? String(value ?? '') : (value ?? '');
  }) as FormValues<Fields>;
}

const jsonText = (value: unknown) => (value === null ? '' : formatJson(value));

/** Null is the default of each field of a nested object. */
function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}
