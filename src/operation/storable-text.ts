import { type DocumentNode, Kind, visit } from 'graphql';
import { UNSAFE_INTEGER } from '../bounds/json-scan.ts';
import { type FieldPath, ServiceError } from '../contract/errors.ts';

export const UNSTORABLE = 'must not contain NUL characters or unpaired surrogates';

const UNSTORABLE_KEY = 'must not have keys with NUL characters or unpaired surrogates';

/** Deeper JSON could overflow the stack of recursive code. */
const MAX_LEVELS = 200;

/** A value with its position, as a linked list. A separate path per value would be quadratic in the depth. */
interface Position {
  readonly value: unknown;
  readonly step?: string | number;
  readonly parent?: Position;
  readonly depth: number;
}

/** Finds text or a key that PostgreSQL cannot store. Undefined if the value can be stored. */
export function unstorableJson(root: unknown): { readonly below: FieldPath; readonly problem: string } | undefined {
  const open: Position[] = [{ value: root, depth: 0 }];
  // A loop, because recursion could overflow the stack.
  for (let position = open.pop(); position; position = open.pop()) {
    const problem = problemOf(position.value);
    if (problem) return { below: stepsTo(position), problem };
    if (position.depth > MAX_LEVELS) {
      return { below: stepsTo(position).slice(0, 2), problem: `must be at most ${MAX_LEVELS} levels deep` };
    }
    for (const [step, item] of itemsOf(position.value)) {
      if (typeof item === 'string' || typeof item === 'object') {
        open.push({ value: item, step, parent: position, depth: position.depth + 1 });
      }
    }
  }
  return undefined;
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : UNSTORABLE;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).every(isStorable) ? undefined : UNSTORABLE_KEY;
}

function itemsOf(value: unknown): Iterable<[step: string | number, item: unknown]> {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}

function stepsTo(position: Position): FieldPath {
  const steps: (string | number)[] = [];
  for (let at: Position | undefined = position; at?.step !== undefined; at = at.parent) steps.push(at.step);
  return steps.reverse();
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Documents whose literals are valid. Requests with the same text share a parsed document. */
const checked = new WeakSet<DocumentNode>();

/**
 * Applies the checks for variables to the literals of a document.
 * @throws {ServiceError} invalid_request
 */
export function requireStorableLiterals(document: DocumentNode): void {
  if (checked.has(document)) return;
  visit(document, {
    [Kind.STRING]: ({ value }) => {
      if (!isStorable(value)) throw invalidLiteral(`A string in the document ${UNSTORABLE}.`);
    },
    [Kind.INT]: ({ value }) => {
      if (!Number.isSafeInteger(Number(value))) throw invalidLiteral(`An integer in the document ${UNSAFE_INTEGER}.`);
    },
    // graphql-js would set the object's prototype and lose the value.
    [Kind.OBJECT_FIELD]: ({ name }) => {
      if (name.value === '__proto__') throw invalidLiteral('The key __proto__ is allowed only in variables.');
    },
  });
  checked.add(document);
}

function invalidLiteral(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
