import type { JsonSchema } from '../../src/rest/json-schema.ts';
import { comment, docstring, identifier } from './text.ts';

/** The types of a client: TypedDicts for objects, and aliases for choices. */
export class PythonTypes {
  readonly #texts = new Map<string, string>();

  /** The declarations, in an order that Python can read: it evaluates aliases at once, but no fields. */
  get text(): string {
    const texts = [...this.#texts.values()];
    const isAlias = (text: string) => !text.startsWith('class ');
    return [...texts.filter(isAlias), ...texts.filter((text) => !isAlias(text))].join('\n\n');
  }

  /** Declares a type of the document. */
  declare(name: string, schema: JsonSchema): void {
    if (this.#texts.has(name)) return;
    // Reserved first, because types refer to themselves.
    this.#texts.set(name, '');
    this.#texts.set(name, schema.properties ? this.#class(name, schema) : this.#alias(name, schema));
  }

  /** The annotation of a schema. `name` is for an object that has no name of its own. */
  annotation(schema: JsonSchema, name?: string): string {
    const { $ref, type, items, anyOf, oneOf, properties } = schema;
    if ($ref) return $ref.replace(/.*\//, '');
    if (schema.enum || schema.const !== undefined) return literal(schema.enum ?? [String(schema.const)]);
    if (properties) return this.#object(schema, name);
    const choices = anyOf ?? oneOf;
    if (choices) return union(choices.map((choice) => this.annotation(choice, name)));
    if (Array.isArray(type)) return union(type.map((one) => this.annotation({ ...schema, type: one }, name)));
    if (type === 'array') return `List[${items ? this.annotation(items, name) : 'Any'}]`;
    if (type === 'object') return `Dict[str, ${this.#values(schema)}]`;
    return SCALARS[String(type)] ?? 'Any';
  }

  #object(schema: JsonSchema, name: string | undefined): string {
    const own = schema.title?.split(' | ').join('Or') ?? name;
    if (own === undefined) return 'Dict[str, Any]';
    this.declare(own, schema);
    return own;
  }

  #values({ additionalProperties: values }: JsonSchema): string {
    return typeof values === 'object' ? this.annotation(values) : 'Any';
  }

  #class(name: string, { description, properties = {}, required = [] }: JsonSchema): string {
    const fields = Object.entries(properties).map(([key, property]) => {
      const annotation = this.annotation(property);
      const field = `    ${identifier(key)}: ${required.includes(key) ? annotation : `NotRequired[${annotation}]`}\n`;
      return `${comment(property.description, 4)}${field}`;
    });
    return `class ${name}(TypedDict):\n${docstring(description, 4)}${fields.join('')}`;
  }

  #alias(name: string, schema: JsonSchema): string {
    // Names in quotes, because their classes follow.
    const annotation = this.annotation(schema).replace(/(?<=[[ ])[A-Z]\w*(?=[,\]])(?<!Any)/g, '"$&"');
    return `${comment(schema.description, 0)}${name} = ${annotation}\n`;
  }
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const literal = (values: readonly string[]): string =>
  `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;

/** A choice between annotations. Python 3.9 has no `|`. */
export function union(annotations: readonly string[]): string {
  const isNullable = annotations.includes('None');
  const all = [...new Set(annotations.filter((one) => one !== 'None'))];
  const choice = all.length > 1 ? `Union[${all.join(', ')}]` : (all[0] ?? 'None');
  return isNullable && all.length > 0 ? `Optional[${choice}]` : choice;
}
