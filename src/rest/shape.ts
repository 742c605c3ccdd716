import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { headerOf, keyOf } from './documents.ts';

/** The fields of a result that are replaced by their subfields, or sent as headers. */
export interface Shape {
  /** The subfields of a spread field. They are null if the field is null. */
  readonly spread: readonly string[] | undefined;
  /** The response header that carries the field instead of the body. */
  readonly header: string | undefined;
  /** The field is left out if it is null. */
  readonly isOptional: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The shape of a selection. Undefined if the result can be sent unchanged. */
export function shapeOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): Shape | undefined {
  const fields = new Map<string, Shape>();
  for (const field of fieldsOf(selectionSet, fragments)) {
    const below = shapeOf(field.selectionSet, fragments);
    const isSpread = hasDirective(field, 'spread');
    const isOptional = hasDirective(field, 'optional');
    const spread = isSpread ? fieldsOf(field.selectionSet, fragments).map(keyOf) : undefined;
    const header = headerOf(field);
    if (below || spread || header || isOptional) {
      fields.set(keyOf(field), { spread, header, isOptional, fields: below?.fields ?? new Map() });
    }
  }
  return fields.size > 0 ? { spread: undefined, header: undefined, isOptional: false, fields } : undefined;
}

/** The response headers in a result. */
export function headersOf(value: unknown, shape: Shape | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!shape || typeof value !== 'object' || value === null) return headers;
  const object = value as Readonly<Record<string, unknown>>;
  for (const [key, below] of shape.fields) {
    if (below.header === undefined) Object.assign(headers, headersOf(object[key], below));
    // The type of a union that a document does not select has no such field.
    else if (object[key] !== undefined && object[key] !== null) headers[below.header] = String(object[key]);
  }
  return headers;
}

/** Replaces spread fields with their subfields, in document order, and removes fields that are sent as headers. */
export function reshape(value: unknown, shape: Shape | undefined): unknown {
  if (!shape || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reshape(item, shape));
  const result: Record<string, unknown> = {};
  // Lists have hundreds of fields, and `Object.entries` would create an array for each.
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    const below = shape.fields.get(key);
    if (!below) result[key] = inner;
    else if (below.header === undefined && !(below.isOptional && inner === null)) {
      const reshaped = reshape(inner, below);
      if (below.spread) Object.assign(result, reshaped ?? nulls(below.spread));
      else result[key] = reshaped;
    }
  }
  return result;
}

function hasDirective({ directives }: FieldNode, directive: string): boolean {
  return directives?.some(({ name }) => name.value === directive) ?? false;
}

function nulls(keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The fields of a selection, including its fragments. */
function fieldsOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    return fieldsOf(inner?.selectionSet, fragments);
  });
}
