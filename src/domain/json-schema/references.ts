import { isObject, isSchema, type Schema, subschemasOf } from './schema.ts';

/** Resolves each `$ref` of a schema within the same document. */
export class References {
  readonly #root: Schema;
  readonly #found = new Map<string, unknown>();
  #named: Named | undefined;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Whether a reference stays in this document. */
  isLocal(reference: string): boolean {
    return this.#documentOf(reference) !== undefined;
  }

  /** Returns the schema that a reference points to. Undefined if there is no such schema. */
  find(reference: string): unknown {
    if (!this.#found.has(reference)) this.#found.set(reference, this.#look(reference));
    return this.#found.get(reference);
  }

  #look(reference: string): unknown {
    const document = this.#documentOf(reference);
    const [, fragment = ''] = reference.split('#', 2);
    const name = decoded(fragment);
    if (!document || name === '') return document;
    if (!name.startsWith('/')) return this.#names.anchors.get(name);
    // A pointer starts at the enclosing schema with an `$id`. There are few of them: try each.
    for (const base of [document, ...this.#names.ids.values()]) {
      const schema = at(base, name);
      if (schema !== undefined) return schema;
    }
    return undefined;
  }

  /** The schema before the `#`: the root, or the one with this `$id`. */
  #documentOf(reference: string): Schema | undefined {
    const [id = ''] = reference.split('#', 1);
    return id === '' ? this.#root : this.#names.ids.get(id);
  }

  get #names(): Named {
    this.#named ??= namedIn(this.#root);
    return this.#named;
  }
}

interface Named {
  readonly ids: ReadonlyMap<string, Schema>;
  readonly anchors: ReadonlyMap<string, Schema>;
}

/** Schemas by `$id` and by `$anchor`. In draft 7, an `$id` such as `#name` is an anchor. */
function namedIn(root: Schema): Named {
  const ids = new Map<string, Schema>();
  const anchors = new Map<string, Schema>();
  const open: unknown[] = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isObject(schema)) continue;
    const { $anchor, $id } = schema;
    if (typeof $anchor === 'string') anchors.set($anchor, schema);
    if (typeof $id === 'string' && $id.startsWith('#')) anchors.set($id.slice(1), schema);
    else if (typeof $id === 'string') ids.set($id.replace(/#$/, ''), schema);
    open.push(...subschemasOf(schema));
  }
  return { ids, anchors };
}

/** The schema at a JSON Pointer. */
function at(base: Schema, pointer: string): unknown {
  let value: unknown = base;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Schema)[key];
  }
  return isSchema(value) ? value : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
