import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { formatCount } from '../contract/quantities.ts';

/** Limits for everything that costs time before the document is validated. */
export interface ShapeLimits {
  /** Nesting levels of fields, including fragments. */
  readonly depth: number;
  /** Fields of one selection set, including fragments. */
  readonly breadth: number;
  /** Aliases in the whole document. */
  readonly aliases: number;
  readonly directives: number;
}

/** The error for a document that exceeds a limit. */
export function limitExceeded(what: string, value: number, most: number): ServiceError {
  // Larger numbers would not be more helpful.
  const size = value > 1e12 ? `more than ${formatCount(1e12)}` : formatCount(value);
  return new ServiceError(
    'invalid_request',
    `The document's ${what} is ${size}. The maximum is ${formatCount(most)}. Request less, or split it into several requests.`,
  );
}

/**
 * Checks the shape of a document before it is validated. The work is linear in the document's length, because each
 * fragment is measured once.
 * @throws {ServiceError} invalid_request
 */
export function requireShape(document: DocumentNode, limits: ShapeLimits): void {
  const shape = shapeOf(document);
  for (const what of ['aliases', 'directives', 'breadth', 'depth'] as const) {
    if (shape[what] > limits[what]) {
      throw limitExceeded(isCount(what) ? `number of ${what}` : what, shape[what], limits[what]);
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

/** The size of a selection set. */
interface Extent {
  readonly depth: number;
  /** Its fields. */
  readonly breadth: number;
  /** The most fields of any nested selection set. */
  readonly broadest: number;
}

const EMPTY: Extent = { depth: 0, breadth: 0, broadest: 0 };

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
    let { depth, breadth, broadest } = EMPTY;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const nested = selection.selectionSet ? this.of(selection.selectionSet) : EMPTY;
        depth = Math.max(depth, nested.depth + 1);
        breadth += 1;
        broadest = Math.max(broadest, nested.breadth, nested.broadest);
      } else {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT
            ? this.of(selection.selectionSet)
            : this.#ofFragment(selection.name.value);
        depth = Math.max(depth, fragment.depth);
        breadth += fragment.breadth;
        broadest = Math.max(broadest, fragment.broadest);
      }
    }
    return { depth, breadth, broadest };
  }

  #ofFragment(name: string): Extent {
    const set = this.#fragments.get(name);
    const measured = this.#measured.get(name);
    if (measured || !set) return measured ?? EMPTY;
    // Prevents endless recursion. Validation reports fragments that contain themselves.
    this.#measured.set(name, EMPTY);
    const extent = this.of(set);
    this.#measured.set(name, extent);
    return extent;
  }
}
