/** The compared parts of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly contentSchema?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [word: string]: unknown;
}

/** The documents that contain the targets of references. */
interface Documents {
  readonly before: object;
  readonly after: object;
}

/** Values that a client can no longer send, each with its path: `.content[] …`. */
export function narrowed(documents: Documents, before: Schema, after: Schema): string[] {
  return new Comparison(documents, 'request').changes(before, after, '');
}

/** Promises about a response that no longer hold. Added fields and values are allowed: clients ignore them. */
export function widened(documents: Documents, before: Schema, after: Schema): string[] {
  return new Comparison(documents, 'response').changes(before, after, '');
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['format', 'pattern', 'const', 'contentEncoding', 'contentMediaType'];

class Comparison {
  readonly #documents: Documents;
  readonly #isRequest: boolean;
  /** Pairs in progress, because a schema can contain itself. */
  readonly #open = new Set<string>();

  constructor(documents: Documents, of: 'request' | 'response') {
    this.#documents = documents;
    this.#isRequest = of === 'request';
  }

  changes(before: Schema, after: Schema, place: string): string[] {
    const pair = `${before.$ref} ${after.$ref}`;
    if (before.$ref && this.#open.has(pair)) return [];
    this.#open.add(pair);
    const [was, is] = [plain(before, this.#documents.before), plain(after, this.#documents.after)];
    const changes = [
      ...this.#types(was, is, place),
      ...this.#forms(was, is, place),
      ...this.#bounds(was, is, place),
      ...this.#fields(was, is, place),
      ...this.#nested(was, is, place),
      ...this.#alternatives(was.alternatives, is.alternatives, place),
    ];
    this.#open.delete(pair);
    return changes;
  }

  /** A response promises types, a request accepts types. An empty list means any type. */
  #types({ types: was }: Plain, { types: is }: Plain, place: string): string[] {
    const [narrow, wide] = this.#isRequest ? [is, was] : [was, is];
    if (narrow.length === 0) return [];
    const describe = (types: readonly string[]) => types.join(' or ') || 'of any type';
    const fits =
      wide.length > 0 &&
      wide.every((type) => narrow.includes(type) || (type === 'integer' && narrow.includes('number')));
    return fits ? [] : [`${place} was ${describe(was)} and is ${describe(is)}`];
  }

  /** Formats and patterns that a request newly requires or a response no longer promises, and removed enum values. */
  #forms({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    const binding = this.#isRequest ? is : was;
    const forms = FORMS.filter((word) => binding[word] !== undefined && was[word] !== is[word]).map(
      (word) => `${place} has the ${word} ${is[word] ?? '(no value)'}`,
    );
    if (!this.#isRequest || !is.enum) return forms;
    if (!was.enum) return [...forms, `${place} is one of ${is.enum.join(', ')}`];
    const lost = was.enum.filter((value) => !is.enum?.includes(value));
    return [...forms, ...lost.map((value) => `${place} no longer accepts ${value}`)];
  }

  /** Only for requests: clients do not depend on the bounds of responses. */
  #bounds({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    if (!this.#isRequest) return [];
    const raised = (word: string) =>
      Number(is[word] ?? Number.NEGATIVE_INFINITY) > Number(was[word] ?? Number.NEGATIVE_INFINITY);
    const lowered = (word: string) =>
      Number(is[word] ?? Number.POSITIVE_INFINITY) < Number(was[word] ?? Number.POSITIVE_INFINITY);
    return [...LOWER_BOUNDS.filter(raised), ...UPPER_BOUNDS.filter(lowered)].map(
      (word) => `${place} has the ${word} ${is[word]}`,
    );
  }

  #fields({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    const [earlier, now] = [was.properties ?? {}, is.properties ?? {}];
    const [promised, offered] = this.#isRequest ? [is, was] : [was, is];
    const required = (promised.required ?? []).filter(
      (name) => !offered.required?.includes(name) && (this.#isRequest || Object.hasOwn(now, name)),
    );
    const problem = this.#isRequest ? 'is required' : 'can be missing';
    return [
      ...required.map((name) => `${place}.${name} ${problem}`),
      ...Object.entries(earlier).flatMap(([name, schema]) => {
        const field = now[name];
        return field ? this.changes(schema, field, `${place}.${name}`) : [`${place}.${name} was removed`];
      }),
    ];
  }

  /** Nested schemas: items, additional properties, property names and JSON in text. */
  #nested({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    const words = [
      ['items', '[]'],
      ['additionalProperties', '.*'],
      ['propertyNames', ' (its names)'],
      ['contentSchema', ''],
    ] as const;
    return words.flatMap(([word, step]) => {
      if (was[word] === undefined && is[word] === undefined) return [];
      const [before, after] = [asSchema(was[word]), asSchema(is[word])];
      // A response can get additional content.
      if (!before || !after) return before && this.#isRequest ? [`${place}${step} is no longer accepted`] : [];
      return this.changes(before, after, `${place}${step}`);
    });
  }

  /** Matches alternatives by title, otherwise by position. Only requests cannot lose an alternative. */
  #alternatives(was: readonly Schema[], is: readonly Schema[], place: string): string[] {
    if (was.length === 0 && is.length === 0) return [];
    const nameOf = (schema: Schema, index: number) => schema.title ?? schema.$ref ?? String(index);
    const now = new Map(is.map((schema, index) => [nameOf(schema, index), schema]));
    return was.flatMap((schema, index) => {
      const name = nameOf(schema, index);
      const other = now.get(name);
      if (other) return this.changes(schema, other, `${place} (${name})`);
      return this.#isRequest || is.length === 0 ? [`${place} (${name}) was removed`] : [];
    });
  }
}

/** A schema with its reference resolved and null among its types, in a uniform notation. */
interface Plain {
  readonly schema: Schema;
  readonly types: readonly string[];
  readonly alternatives: readonly Schema[];
}

function plain(schema: Schema, document: object): Plain {
  const resolved = schema.$ref ? { ...(target(schema.$ref, document) ?? {}), ...schema, $ref: undefined } : schema;
  const listed = resolved.anyOf ?? resolved.oneOf ?? [];
  const alternatives = listed.filter(({ type }) => type !== 'null');
  const isNullable = alternatives.length < listed.length;
  const [only] = alternatives;
  if (!only || alternatives.length > 1) {
    return { schema: resolved as Schema, types: [resolved.type ?? []].flat(), alternatives };
  }
  // `anyOf` with one schema and null equals a nullable type.
  const inner = plain(only, document);
  const types = inner.types.length > 0 && isNullable ? [...inner.types, 'null'] : inner.types;
  return { ...inner, types, schema: { ...inner.schema, ...resolved, anyOf: undefined } as unknown as Schema };
}

function target(reference: string, document: object): Schema | undefined {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document) as
    | Schema
    | undefined;
}

/** A missing keyword allows everything. */
function asSchema(value: unknown): Schema | false {
  if (value === false) return false;
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
