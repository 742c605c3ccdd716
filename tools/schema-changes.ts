/** As much of a JSON Schema as is compared. */
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

/** The documents that references of the two schemas point into. */
interface Documents {
  readonly before: object;
  readonly after: object;
}

/** What a client may no longer send, each with the place that it is at: `.content[] …`. */
export function narrowed(documents: Documents, before: Schema, after: Schema): string[] {
  return new Comparison(documents, 'request').changes(before, after, '');
}

/** What a client may no longer rely on in an answer. Fields and values may be added: clients pass over them. */
export function widened(documents: Documents, before: Schema, after: Schema): string[] {
  return new Comparison(documents, 'answer').changes(before, after, '');
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['format', 'pattern', 'const', 'contentEncoding', 'contentMediaType'];

class Comparison {
  readonly #documents: Documents;
  readonly #isRequest: boolean;
  /** Pairs that are under comparison: a schema may hold itself. */
  readonly #open = new Set<string>();

  constructor(documents: Documents, of: 'request' | 'answer') {
    this.#documents = documents;
    this.#isRequest = of === 'request';
  }

  changes(before: Schema, after: Schema, place: string): string[] {
    const pair = `${before.$ref} ${after.$ref}`;
    if (before.$ref && this.#open.has(pair)) return [];
    this.#open.add(pair);
    const [was, is] = [plain(before, this.#documents.before), plain(after, this.#documents.after)];
    const found = [
      ...this.#types(was, is, place),
      ...this.#forms(was, is, place),
      ...this.#bounds(was, is, place),
      ...this.#fields(was, is, place),
      ...this.#below(was, is, place),
      ...this.#alternatives(was.alternatives, is.alternatives, place),
    ];
    this.#open.delete(pair);
    return found;
  }

  /** Types are promised by an answer, and taken by a request; none named means any. */
  #types({ types: was }: Plain, { types: is }: Plain, place: string): string[] {
    const [narrow, wide] = this.#isRequest ? [is, was] : [was, is];
    if (narrow.length === 0) return [];
    const told = (types: readonly string[]) => types.join(' or ') || 'of any type';
    const fits =
      wide.length > 0 &&
      wide.every((type) => narrow.includes(type) || (type === 'integer' && narrow.includes('number')));
    return fits ? [] : [`${place} was ${told(was)} and is ${told(is)}`];
  }

  /** A form that is asked for anew, or no longer promised, or another one; and values that are no longer taken. */
  #forms({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    const asked = this.#isRequest ? is : was;
    const forms = FORMS.filter((word) => asked[word] !== undefined && was[word] !== is[word]).map(
      (word) => `${place} has the ${word} ${is[word] ?? '(none)'}`,
    );
    if (!this.#isRequest || !is.enum) return forms;
    if (!was.enum) return [...forms, `${place} is one of ${is.enum.join(', ')}`];
    const lost = was.enum.filter((value) => !is.enum?.includes(value));
    return [...forms, ...lost.map((value) => `${place} no longer takes ${value}`)];
  }

  /** Only of requests: nobody sizes their code by the least that they are answered. */
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
    const [known, now] = [was.properties ?? {}, is.properties ?? {}];
    const [promised, asked] = this.#isRequest ? [is, was] : [was, is];
    const required = (promised.required ?? []).filter(
      (name) => !asked.required?.includes(name) && (this.#isRequest || Object.hasOwn(now, name)),
    );
    const word = this.#isRequest ? 'is required' : 'may be missing';
    return [
      ...required.map((name) => `${place}.${name} ${word}`),
      ...Object.entries(known).flatMap(([name, schema]) => {
        const field = now[name];
        return field ? this.changes(schema, field, `${place}.${name}`) : [`${place}.${name} was removed`];
      }),
    ];
  }

  /** Schemas of what is within: items, other fields, their names, and the JSON of a text. */
  #below({ schema: was }: Plain, { schema: is }: Plain, place: string): string[] {
    const words = [
      ['items', '[]'],
      ['additionalProperties', '.*'],
      ['propertyNames', ' (its names)'],
      ['contentSchema', ''],
    ] as const;
    return words.flatMap(([word, step]) => {
      if (was[word] === undefined && is[word] === undefined) return [];
      const [before, after] = [asSchema(was[word]), asSchema(is[word])];
      // An answer may come to hold more.
      if (!before || !after) return before && this.#isRequest ? [`${place}${step} is no longer taken`] : [];
      return this.changes(before, after, `${place}${step}`);
    });
  }

  /** Pairs by title, else by place. A request loses what it took; an answer may be another thing than before. */
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

/** A schema with its reference followed, and null among its types however it was written. */
interface Plain {
  readonly schema: Schema;
  readonly types: readonly string[];
  readonly alternatives: readonly Schema[];
}

function plain(schema: Schema, document: object): Plain {
  const followed = schema.$ref ? { ...(target(schema.$ref, document) ?? {}), ...schema, $ref: undefined } : schema;
  const listed = followed.anyOf ?? followed.oneOf ?? [];
  const alternatives = listed.filter(({ type }) => type !== 'null');
  const isNullable = alternatives.length < listed.length;
  const [only] = alternatives;
  if (!only || alternatives.length > 1) {
    return { schema: followed as Schema, types: [followed.type ?? []].flat(), alternatives };
  }
  // Something or null: as if it were written as a type.
  const inner = plain(only, document);
  const types = inner.types.length > 0 && isNullable ? [...inner.types, 'null'] : inner.types;
  return { ...inner, types, schema: { ...inner.schema, ...followed, anyOf: undefined } as unknown as Schema };
}

function target(reference: string, document: object): Schema | undefined {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document) as
    | Schema
    | undefined;
}

/** Left out, a word of JSON Schema takes anything. */
function asSchema(value: unknown): Schema | false {
  if (value === false) return false;
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
