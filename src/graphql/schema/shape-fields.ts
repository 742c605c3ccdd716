import type { FieldRef, InputFieldRef, InputRef } from '@pothos/core';
import type * as z from 'zod/mini';
import { inputText, outputText } from '../../shapes/descriptions.ts';
import { type Field, type Input, mapFields, type Shape } from '../../shapes/field.ts';
import { type ArgumentFields, builder, type InputFields, type Types } from './builder.ts';
import { enumOf } from './enum-type.ts';

type Refs<Fields extends Shape> = { [Name in keyof Fields]: InputFieldRef<Types, z.input<Fields[Name]['rule']>> };

/** The value of an input as resolvers get it. */
type Given<Fields extends Shape> = z.input<z.ZodMiniObject<{ [Name in keyof Fields]: Fields[Name]['rule'] }>>;

/** The input types of the schema. An input that several fields contain is one type. */
const inputTypes = new WeakMap<Input, InputRef<unknown>>();

function typeOf(field: Field): unknown {
  switch (field.kind) {
    case 'flag':
      return 'Boolean';
    case 'choice':
      return enumOf(field.values);
    case 'choices':
      return [enumOf(field.values)];
    case 'integer':
      return field.scalar ?? 'Int';
    case 'number':
      return 'Float';
    case 'text':
      return field.scalar;
    case 'texts':
      return [field.scalar];
    case 'time':
      return 'DateTime';
    case 'json':
      return 'JSON';
    case 'map':
      return 'JSONObject';
    case 'object':
      return inputType(field.input);
    case 'list':
      return [inputType(field.input)];
  }
}

/** What OpenAPI needs of an argument or an input field. */
export interface ShapeExtensions extends Readonly<Record<string, unknown>> {
  /** Bounds that the domain checks. */
  readonly bounds: Readonly<Record<string, unknown>>;
  /** The domain requires the field, although its GraphQL type is nullable. */
  readonly isNeeded?: boolean;
}

function optionsOf(field: Field) {
  const { bounds, initial, isRequired, place } = field;
  return {
    // The type of each field follows from its kind.
    type: typeOf(field) as 'String',
    description: inputText(field),
    required: isRequired === 'by type',
    ...(initial !== undefined && { defaultValue: initial as string }),
    ...place,
    extensions: { ...place?.extensions, bounds, isNeeded: isRequired === 'by rule' } satisfies ShapeExtensions,
  };
}

/** The input fields of a shape. */
function inputFields<Fields extends Shape>(t: InputFields, shape: Fields): Refs<Fields> {
  return mapFields(shape, (field) => t.field(optionsOf(field) as { type: 'String' })) as unknown as Refs<Fields>;
}

/** The argument that a field describes. */
export function argument<Of extends Field>(t: { arg: ArgumentFields }, field: Of) {
  return t.arg(optionsOf(field) as never) as unknown as InputFieldRef<Types, z.input<Of['rule']>>;
}

/** The input type of an input. */
export function inputType<Fields extends Shape>(of: Input<Fields>): InputRef<Given<Fields>> {
  const known = inputTypes.get(of);
  if (known) return known as InputRef<Given<Fields>>;
  const { name, says, fields, isOneOf = false } = of;
  const ref = builder.inputType(name, { description: says, isOneOf, fields: (t) => inputFields(t, fields) as never });
  inputTypes.set(of, ref);
  return ref as unknown as InputRef<Given<Fields>>;
}

/** The output types of inputs, which they are named after. */
const outputTypes = new WeakMap<Input, unknown>();

function outputType(of: Input): unknown {
  const known = outputTypes.get(of);
  if (known) return known;
  const ref = builder.objectRef<object>(of.name.replace(/Input$/, ''));
  outputTypes.set(of, ref);
  ref.implement({ description: of.says, fields: (t) => outputFields(t, of.fields) as never });
  return ref;
}

function isNullable({ byDefault, isRequired }: Field): boolean {
  return byDefault === null && isRequired !== 'by type';
}

/** The fields of an object whose rows have a column for each field of the shape. */
export function outputFields<Fields extends Shape>(t: { expose: unknown }, shape: Fields) {
  const { expose } = t as { expose(name: string, options: object): FieldRef<Types, unknown> };
  return mapFields(shape, (field, name) =>
    expose.call(t, name, {
      type: field.kind === 'object' ? outputType(field.input) : typeOf(field),
      nullable: isNullable(field),
      description: outputText(field),
    }),
  ) as { readonly [Name in keyof Fields]: FieldRef<Types, unknown> };
}
