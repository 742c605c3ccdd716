import type { JsonSchema } from '../json-schema.ts';

const INDENT = '  ';

/** A JSON Schema as a type of TypeScript. Constraints that types cannot express are left out. */
export function typeOf(schema: JsonSchema, level = 0): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type } = schema;
  if ($ref) return `Schema.${$ref.split('/').at(-1)}`;
  if (constant !== undefined) return JSON.stringify(constant);
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return unionOf(alternatives.map((one) => typeOf(one, level)));
  const types = [type ?? []].flat();
  if (types.length === 0) return schema.properties ? objectType(schema, level) : 'unknown';
  return unionOf(types.map((one) => (one === 'string' && values ? literals(values) : ofType(one, schema, level))));
}

const literals = (values: readonly string[]) => unionOf(values.map((value) => JSON.stringify(value)));

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'never';

function ofType(type: string, schema: JsonSchema, level: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `ReadonlyArray<${typeOf(schema.items ?? {}, level)}>`;
    default:
      return objectType(schema, level);
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, level: number): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, level) : 'unknown';
    return `{ readonly [key: string]: ${value} }`;
  }
  const inner = INDENT.repeat(level + 1);
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema.description, level + 1)}${inner}readonly ${JSON.stringify(name)}${mark}: ${typeOf(schema, level + 1)};\n`;
  });
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${INDENT.repeat(level)}}`;
}

/** A text as a comment. Authors of documents write such texts, so it must not be able to end the comment. */
export function comment(text: string | null | undefined, level = 0): string {
  if (!text) return '';
  const indent = INDENT.repeat(level);
  const lines = text.replaceAll('*/', '*\u200b/').split(/[\r\n\u2028\u2029]+/);
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
