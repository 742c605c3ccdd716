import * as z from 'zod/mini';
import { UUID_PATTERN } from '../contract/ids.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import type {
  ChoiceField,
  ChoicesField,
  FieldOf,
  FlagField,
  Input,
  Meaning,
  NestedField,
  NumberField,
  Optional,
  Shape,
  TextField,
  TextsField,
} from './field.ts';
import { rulesOf } from './field.ts';

type BooleanRule = Optional<z.ZodMiniBoolean<boolean>>;
type NumberRule = Optional<z.ZodMiniNumber<number>>;
type ChoiceRule<Value extends string> = Optional<z.ZodMiniType<Value, Value>>;

type Said = string | Meaning;

const meaningOf = (said: Said): Meaning => (typeof said === 'string' ? { says: said } : said);

export function flag(said: Said, byDefault: boolean): FlagField<boolean, BooleanRule>;
export function flag(said: Said): FlagField<boolean | null, BooleanRule>;
export function flag(said: Said, byDefault: boolean | null = null): FlagField<unknown, BooleanRule> {
  return { kind: 'flag', bounds: {}, ...meaningOf(said), byDefault, rule: z.nullish(z.boolean()) };
}

/** One of the values of an enum of the contract. */
export function choice<const Value extends string>(
  said: Said,
  values: readonly Value[],
  byDefault: NoInfer<Value>,
): ChoiceField<Value, Value, ChoiceRule<Value>>;
export function choice<const Value extends string>(
  said: Said,
  values: readonly Value[],
): ChoiceField<Value, Value | null, ChoiceRule<Value>>;
export function choice<const Value extends string>(
  said: Said,
  values: readonly Value[],
  byDefault: Value | null = null,
): ChoiceField<Value, unknown, ChoiceRule<Value>> {
  return { kind: 'choice', bounds: {}, ...meaningOf(said), values, byDefault, rule: z.nullish(oneOf(values)) };
}

function oneOf<Value extends string>(values: readonly Value[]) {
  return z.enum(values, `must be one of ${values.join(', ')}`) as z.ZodMiniType<Value, Value>;
}

interface Choices<Value> extends Partial<Size> {
  /** The values that the input accepts, if they are not all of the enum. */
  readonly accepts?: readonly Value[];
  readonly eachOnce?: boolean;
}

/** Values of an enum of the contract. */
export function choices<const Value extends string>(
  said: Said,
  values: readonly Value[],
  { accepts = values, least = 0, most, eachOnce = false }: Choices<Value> = {},
) {
  const list = z.array(oneOf(accepts));
  const size = { least, most: most ?? accepts.length, noun: 'items' };
  const once = z.refine<readonly unknown[]>((all) => new Set(all).size === all.length, 'must name each value once');
  const rule = list.check(...(most === undefined && least === 0 ? [] : sizeChecks(size)), ...(eachOnce ? [once] : []));
  const meaning = { ...(most !== undefined && sizeOf(size)), ...meaningOf(said) };
  return {
    kind: 'choices',
    bounds: {},
    ...meaning,
    values,
    byDefault: null,
    rule: z.nullish(rule),
  } as const satisfies ChoicesField;
}

interface Range<Default> extends Meaning {
  readonly least?: number;
  /** Omitted for numbers that only the database bounds. */
  readonly most?: number;
  readonly byDefault?: Default;
  readonly initial?: number;
}

/** Without `byDefault`, null is the default, and `without` says what it means. */
export function integer(
  given: Range<number> & { readonly byDefault: number },
): NumberField<'integer', number, NumberRule>;
export function integer(given: Range<null>): NumberField<'integer', number | null, NumberRule>;
export function integer(given: Range<number | null>): NumberField<'integer', unknown, NumberRule> {
  return ranged('integer', given, (message) => z.int(message) as z.ZodMiniNumber<number>);
}

export function number(given: Range<null>): NumberField<'number', number | null, NumberRule> {
  return ranged('number', given, (message) => z.number(message)) as NumberField<'number', number | null, NumberRule>;
}

function ranged<Of extends 'integer' | 'number'>(
  kind: Of,
  { least = 1, most = LIMITS.filterNumber, byDefault = null, ...given }: Range<number | null>,
  typeOf: (message: string) => z.ZodMiniNumber<number>,
): NumberField<Of, unknown, NumberRule> {
  // A share.
  const range = `${least < 1 && least > 0 ? least : formatCount(least)} to ${formatCount(most)}`;
  const what = kind === 'integer' ? 'a whole number' : 'a number';
  const message = `must be ${what} from ${range}${given.without === undefined ? '' : ', or null'}`;
  const rule = z.nullish(typeOf(message).check(z.minimum(least, message), z.maximum(most, message)));
  const bounded = most === LIMITS.filterNumber ? {} : { range };
  return { kind, bounds: { minimum: least, maximum: most }, ...bounded, ...given, least, most, byDefault, rule };
}

interface Length {
  readonly least?: number;
  readonly most: number;
  readonly canBeBlank?: boolean;
  /** A form, and the rule that names it. */
  readonly pattern?: readonly [RegExp, string];
}

/** The rule of a text with a maximum length. It is not blank unless `canBeBlank` or `pattern` says so. */
export function textRule({ least = 0, most, canBeBlank = false, pattern }: Length) {
  const checks: z.core.$ZodCheck<string>[] = [
    ...(least > 0
      ? [z.minLength(least, least === 1 ? 'must not be empty' : `must have at least ${least} characters`)]
      : []),
    z.maxLength(most, `must have at most ${formatCount(most)} characters`),
    ...(pattern ? [z.regex(...pattern)] : []),
    ...(canBeBlank || pattern ? [] : [z.refine<string>((value) => value.trim() !== '', 'must not be blank')]),
  ];
  return z.string().check(...checks);
}

/** A text with the rule {@link textRule}. */
export function text({ canBeBlank = false, pattern, least = 0, ...given }: Meaning & Length) {
  const { most } = given;
  const hasText = !canBeBlank && !pattern;
  return textOf(textRule({ least, most, canBeBlank, ...(pattern && { pattern }) }), {
    bounds: {
      ...(least > 0 && { minLength: least }),
      maxLength: most,
      ...(hasText && { pattern: '\\S' }),
    },
    range: rangeOf(hasText ? 1 : least, most, hasText ? 'characters, not blank' : 'characters'),
    ...given,
  });
}

/** A text with a rule of its own, which also bounds it. `most` is for forms. */
export function textOf<Rule extends z.ZodMiniType<unknown, string>>(
  rule: Rule,
  given: Meaning & { readonly most?: number; readonly range?: string },
) {
  const field = { kind: 'text', scalar: 'String', bounds: {}, most: Number.POSITIVE_INFINITY, ...given } as const;
  return { ...field, byDefault: null as string | null, rule: z.nullish(rule) } as const satisfies TextField;
}

interface Size {
  readonly least?: number;
  readonly most: number;
  /** What the list contains, in the plural. */
  readonly noun: string;
  /** The error of an empty list. */
  readonly ifEmpty?: string;
}

interface Repeats {
  readonly keepsRepeats?: boolean;
}

/** A list of texts. Each is stored once, unless the list `keepsRepeats`. */
export function texts(
  item: z.ZodMiniType<string, string>,
  { keepsRepeats = false, ...given }: Meaning & Size & Repeats,
) {
  const all = sized(item, given);
  const once = z.pipe(
    all,
    z.transform((values: string[]) => [...new Set(values)]),
  );
  return {
    kind: 'texts',
    scalar: 'String',
    ...sizeOf(given),
    byDefault: [] as string[],
    rule: z.nullish((keepsRepeats ? all : once) as z.ZodMiniType<string[], string[]>),
  } as const satisfies TextsField;
}

/** The ID of a node. */
export function id(idOf: string | readonly string[], said: Said, scalar: 'UUID' | 'ID' | 'String' = 'UUID') {
  const rule = scalar === 'UUID' ? z.guid('must be a UUID').check(z.toLowerCase()) : z.string();
  return {
    ...textOf(rule as z.ZodMiniType<string, string>, meaningOf(said)),
    scalar,
    place: { idOf },
  } as const satisfies TextField;
}

/** The number of a node. */
export function numberId(idOf: string, said: Said): NumberField<'integer', null, NumberRule> {
  const numbers = {
    least: 1,
    most: LIMITS.filterNumber,
    byDefault: null,
    rule: z.nullish(z.int() as z.ZodMiniNumber<number>),
  };
  return { kind: 'integer', bounds: {}, ...meaningOf(said), ...numbers, place: { idOf } };
}

export function ids(idOf: string, given: Meaning & Size & Repeats) {
  const field = texts(z.string().check(z.regex(UUID_PATTERN, 'must be a UUID')), given);
  return { ...field, scalar: 'UUID', place: { idOf } } as const satisfies TextsField;
}

export function time(said: Said) {
  const rule = z.nullish(z.date());
  return { kind: 'time', bounds: {}, ...meaningOf(said), byDefault: null, rule } as const satisfies FieldOf<'time'>;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

type JsonObject = Readonly<Record<string, unknown>>;

/** Any object. It is not a zod record, because that would drop a key `__proto__`. */
export const anyObject = z.custom<JsonObject>(isObject, 'must be an object');

/** A JSON object. */
export function map<Rule extends z.ZodMiniType<unknown, JsonObject>>(
  rule: Rule,
  given: Meaning & { readonly range?: string },
) {
  return {
    kind: 'map',
    bounds: {},
    ...given,
    byDefault: null,
    rule: z.nullish(rule),
  } as const satisfies FieldOf<'map'>;
}

/** Any JSON. */
export function json<Rule extends z.ZodMiniType>(rule: Rule, given: Meaning) {
  return {
    kind: 'json',
    bounds: {},
    ...given,
    byDefault: null,
    rule: z.nullish(rule),
  } as const satisfies FieldOf<'json'>;
}

/** An object with the fields of another input. */
export function object<Fields extends Shape>(of: Input<Fields>, said: Said) {
  const rule = z.nullish(z.object(rulesOf(of.fields)));
  return {
    kind: 'object',
    bounds: {},
    ...meaningOf(said),
    input: of,
    byDefault: null,
    rule,
  } as const satisfies NestedField;
}

/** A list of objects with the fields of another input. */
export function list<Fields extends Shape>(of: Input<Fields>, given: Meaning & Size) {
  const rule = z.nullish(sized(z.object(rulesOf(of.fields)), given));
  return { kind: 'list', ...sizeOf(given), input: of, byDefault: null, rule } as const satisfies NestedField;
}

/** A list of valid items, with the size of a field. */
export function sized<Item extends z.ZodMiniType>(item: Item, size: Size) {
  return z.array(item).check(...sizeChecks(size));
}

function sizeChecks({ least = 0, most, noun, ifEmpty }: Size): z.core.$ZodCheck<unknown[]>[] {
  return [
    ...(least > 0 ? [z.minLength(least, ifEmpty ?? `must have at least one ${noun.replace(/s\b.*/, '')}`)] : []),
    z.maxLength(most, `must have at most ${formatCount(most)} ${noun}`),
  ];
}

function sizeOf<Given extends Partial<Meaning> & Size>(given: Given) {
  const { least = 0, most } = given;
  const range = rangeOf(least, most, '').trim();
  return { bounds: { ...(least > 0 && { minItems: least }), maxItems: most }, range, ...given };
}

function rangeOf(least: number, most: number, unit: string): string {
  const end = `${formatCount(most)} ${unit}`;
  return least > 0 ? `${formatCount(least)} to ${end}` : `at most ${end}`;
}
