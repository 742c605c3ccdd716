import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql';
import { ServiceError } from '../contract/errors.ts';

/** The most that a document may have of what costs time before it is known what it asks for. */
export interface ShapeLimits {
  /** Levels of fields, fragments taken in. */
  readonly depth: number;
  /** Fields of one selection set, fragments taken in. */
  readonly breadth: number;
  /** In the whole document. */
  readonly aliases: number;
  readonly directives: number;
}

/** Names what a document has too much of, how much it has, and how much it may have. */
export function tooMuch(what: string, value: number, most: number): ServiceError {
  const number = (count: number) => count.toLocaleString('en', { maximumFractionDigits: 0 });
  // Beyond that a number says nothing more, and no longer fits one.
  const has = value > 1e12 ? `more than ${number(1e12)}` : number(value);
  return new ServiceError(
    'invalid_request',
    `The document's ${what} is ${has}, and may be at most ${number(most)}. Ask for less, or in several requests.`,
  );
}

/**
 * Refuses a document by its shape alone, before it is validated: what this takes grows with its length, whatever its
 * fragments spread.
 * @throws {ServiceError} invalid_request
 */
export function requireModestShape(document: DocumentNode, limits: ShapeLimits): void {
  const shape = shapeOf(document);
  for (const what of ['aliases', 'directives', 'breadth', 'depth'] as const) {
    if (shape[what] > limits[what]) {
      throw tooMuch(isCount(what) ? `number of ${what}` : what, shape[what], limits[what]);
    }
  }
}

const isCount = (what: string) => what === 'aliases' || what === 'directives';

function shapeOf(document: DocumentNode): ShapeLimits {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    [Kind.FIELD]({ alias }) {
      if (alias) aliases += 1;
    },
    [Kind.DIRECTIVE]() {
      directives += 1;
    },
  });
  const extents = new Extents(document);
  let depth = 0;
  let breadth = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const extent = extents.of(definition.selectionSet);
    depth = Math.max(depth, extent.depth);
    breadth = Math.max(breadth, extent.breadth, extent.broadest);
  }
  return { depth, breadth, aliases, directives };
}

/** How far a selection set reaches. */
interface Extent {
  readonly depth: number;
  /** Its own fields. */
  readonly breadth: number;
  /** Most fields of any selection set below it. */
  readonly broadest: number;
}

const NOTHING: Extent = { depth: 0, breadth: 0, broadest: 0 };

/** Measures each fragment once. */
class Extents {
  readonly #fragments: ReadonlyMap<string, SelectionSetNode>;
  readonly #measured = new Map<string, Extent>();

  constructor({ definitions }: DocumentNode) {
    this.#fragments = new Map(
      definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
      ),
    );
  }

  of({ selections }: SelectionSetNode): Extent {
    let { depth, breadth, broadest } = NOTHING;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const below = selection.selectionSet ? this.of(selection.selectionSet) : NOTHING;
        depth = Math.max(depth, below.depth + 1);
        breadth += 1;
        broadest = Math.max(broadest, below.breadth, below.broadest);
      } else {
        const beside =
          selection.kind === Kind.INLINE_FRAGMENT
            ? this.of(selection.selectionSet)
            : this.#ofFragment(selection.name.value);
        depth = Math.max(depth, beside.depth);
        breadth += beside.breadth;
        broadest = Math.max(broadest, beside.broadest);
      }
    }
    return { depth, breadth, broadest };
  }

  #ofFragment(name: string): Extent {
    const set = this.#fragments.get(name);
    const known = this.#measured.get(name);
    if (known || !set) return known ?? NOTHING;
    // One that spreads itself is for validation to tell.
    this.#measured.set(name, NOTHING);
    const extent = this.of(set);
    this.#measured.set(name, extent);
    return extent;
  }
}
