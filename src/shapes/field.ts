import type * as z from 'zod/mini';

/** Keywords of JSON Schema. */
export type Bounds = Readonly<Record<string, unknown>>;

/** The sentences about a field. */
export interface Meaning {
  /** A sentence without its full stop. The bounds follow it, or replace `{bounds}` in it. */
  readonly says: string;
  /** The name of a setting in the dashboard. */
  readonly title?: string;
  /** Further sentences. */
  readonly note?: string;
  /** Further sentences about the input, after its default. */
  readonly form?: string;
  /** What null means, or an empty list, for fields without another default. */
  readonly without?: string;
  /** Replaces the bounds that OpenAPI documents. They only document what `rule` checks. */
  readonly bounds?: Bounds;
}

/** How the APIs have a field. */
interface Place {
  /** The types of the node that the field names. */
  readonly idOf?: string | readonly string[];
  /** Only REST has it. */
  readonly internal?: true;
  /** The name in REST, or false if REST does not have it. */
  readonly inRest?: string | false;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

type Kind =
  | 'flag'
  | 'choice'
  | 'choices'
  | 'integer'
  | 'number'
  | 'text'
  | 'texts'
  | 'time'
  | 'json'
  | 'map'
  | 'object'
  | 'list';

/** A field of an input: its meaning, the values that it accepts, and its value as long as nobody has set it. */
export interface FieldOf<Of extends Kind, Rule extends z.ZodMiniType = z.ZodMiniType, Default = unknown>
  extends Meaning {
  readonly kind: Of;
  /** Checks the value in an input. Null restores the default, and an omitted field keeps its value. */
  readonly rule: Rule;
  readonly byDefault: Default;
  readonly bounds: Bounds;
  /** The bounds in words. */
  readonly range?: string;
  readonly place?: Place;
  /** Null and an omitted field are errors: in the GraphQL schema, or in the domain. */
  readonly isRequired?: 'by type' | 'by rule';
  /** The value that the APIs fill in. */
  readonly initial?: unknown;
}

export type FlagField<Default = unknown, Rule extends z.ZodMiniType = z.ZodMiniType> = FieldOf<'flag', Rule, Default>;

export interface ChoiceField<
  Value extends string = string,
  Default = unknown,
  Rule extends z.ZodMiniType = z.ZodMiniType,
> extends FieldOf<'choice', Rule, Default> {
  readonly values: readonly Value[];
}

export interface ChoicesField extends FieldOf<'choices'> {
  readonly values: readonly string[];
}

/** A number from `least` to `most`. */
export interface NumberField<
  Of extends 'integer' | 'number' = 'integer' | 'number',
  Default = unknown,
  Rule extends z.ZodMiniType = z.ZodMiniType,
> extends FieldOf<Of, Rule, Default> {
  readonly least: number;
  readonly most: number;
  /** The scalar of a whole number that can exceed 32 bits. */
  readonly scalar?: 'SafeInt';
}

/** A text, or an ID. */
export interface TextField extends FieldOf<'text'> {
  readonly scalar: 'String' | 'ID' | 'UUID';
  readonly most: number;
}

/** A list of texts, or IDs. */
export interface TextsField extends FieldOf<'texts'> {
  readonly scalar: 'String' | 'UUID';
  readonly most: number;
  /** What the list contains, in the plural. */
  readonly noun: string;
  /** The texts contain spaces: a form has one in each line. */
  readonly isByLine?: true;
}

/** An object with fields of its own, or a list of such objects. */
export interface NestedField extends FieldOf<'object' | 'list'> {
  readonly input: Input;
  readonly most?: number;
}

export type Field =
  | FlagField
  | ChoiceField
  | ChoicesField
  | NumberField
  | TextField
  | TextsField
  | NestedField
  | FieldOf<'time' | 'json' | 'map'>;

/** The fields of an input, by name. GraphQL, REST, the configuration file and the forms of the pages derive from them. */
export type Shape = Readonly<Record<string, Field>>;

/** An input object. */
export interface Input<Fields extends Shape = Shape> {
  readonly name: string;
  /** One sentence or more. */
  readonly says: string;
  readonly fields: Fields;
  readonly isOneOf?: boolean;
}

export type Optional<Rule extends z.ZodMiniType> = z.ZodMiniOptional<z.ZodMiniNullable<Rule>>;

/** The values of all fields that have a default. */
export type ValuesOf<Fields extends Shape> = { readonly [Name in keyof Fields]: Fields[Name]['byDefault'] };

export function input<const Fields extends Shape>(
  name: string,
  says: string,
  fields: Fields,
  { isOneOf = false } = {},
): Input<Fields> {
  return { name, says, fields, isOneOf };
}

/** The same field, with a rule that accepts neither null nor an omitted value. */
export function required<Rule extends z.ZodMiniType, Of extends FieldOf<Kind, Optional<Rule>>>(
  field: Of & FieldOf<Kind, Optional<Rule>>,
): Omit<Of, 'rule'> & { readonly rule: Rule } {
  return { ...field, rule: field.rule.def.innerType.def.innerType, isRequired: 'by type' };
}

/** Like {@link required}, but only the domain checks it. The type of the GraphQL field is nullable. */
export function needed<Rule extends z.ZodMiniType, Of extends FieldOf<Kind, Optional<Rule>>>(
  field: Of & FieldOf<Kind, Optional<Rule>>,
) {
  return { ...required<Rule, Of>(field), isRequired: 'by rule', form: 'Required.' } as const;
}

/** The same field at another place in the APIs. */
export function placed<Of extends Field>(place: Place, field: Of): Of {
  return { ...field, place: { ...field.place, ...place } };
}

/** The same field with other sentences. */
export function said<Of extends Field>(meaning: Partial<Meaning>, field: Of): Of {
  return { ...field, ...meaning };
}

/** The rules of all fields, for an object schema. */
export function rulesOf<Fields extends Shape>(shape: Fields): { [Name in keyof Fields]: Fields[Name]['rule'] } {
  return mapFields(shape, ({ rule }) => rule) as { [Name in keyof Fields]: Fields[Name]['rule'] };
}

export function defaultsOf<Fields extends Shape>(shape: Fields): ValuesOf<Fields> {
  return mapFields(shape, ({ byDefault }) => byDefault) as ValuesOf<Fields>;
}

/** Applies an input to the values before. */
export function changedValues<Fields extends Shape>(
  shape: Fields,
  before: ValuesOf<Fields>,
  change: { readonly [Name in keyof Fields]?: Fields[Name]['byDefault'] | null | undefined },
): ValuesOf<Fields> {
  return mapFields(shape, ({ byDefault }, name) => {
    const value = change[name];
    return value === undefined ? before[name] : (value ?? byDefault);
  }) as ValuesOf<Fields>;
}

/** Makes a value of each field. */
export function mapFields<Value>(
  shape: Shape,
  make: (field: Field, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, make(field, name)]));
}
