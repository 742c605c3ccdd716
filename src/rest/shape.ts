import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { headerOf } from './documents.ts';

/** Where a result has fields whose own fields are to stand in their place, or that are sent as headers. */
export interface Shape {
  /** For a spread field, its own fields: where its value is null, each of them is. */
  readonly spread: readonly string[] | undefined;
  /** For a field that is no part of the body, the header of the answer that it is sent as. */
  readonly header: string | undefined;
  readonly fields: ReadonlyMap<string, Shape>;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The shape of a selection; undefined where nothing below it has one, so that a result can be sent as it is. */
export function shapeOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): Shape | undefined {
  const fields = new Map<string, Shape>();
  for (const field of fieldsOf(selectionSet, fragments)) {
    const below = shapeOf(field.selectionSet, fragments);
    const isSpread = field.directives?.some(({ name }) => name.value === 'spread');
    const spread = isSpread ? fieldsOf(field.selectionSet, fragments).map(keyOf) : undefined;
    const header = headerOf(field);
    if (below || spread || header) fields.set(keyOf(field), { spread, header, fields: below?.fields ?? new Map() });
  }
  return fields.size > 0 ? { spread: undefined, header: undefined, fields } : undefined;
}

/** The headers that a result carries. */
export function headersOf(value: unknown, shape: Shape | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!shape || typeof value !== 'object' || value === null) return headers;
  const given = value as Readonly<Record<string, unknown>>;
  for (const [key, below] of shape.fields) {
    if (below.header !== undefined) headers[below.header] = String(given[key]);
    else Object.assign(headers, headersOf(given[key], below));
  }
  return headers;
}

/** Puts spread fields in their parent's place, in the order of the document, and leaves out what is sent as a header. */
export function reshape(value: unknown, shape: Shape | undefined): unknown {
  if (!shape || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reshape(item, shape));
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const below = shape.fields.get(key);
    if (below?.header !== undefined) continue;
    const reshaped = reshape(inner, below);
    if (below?.spread) Object.assign(result, reshaped ?? nulls(below.spread));
    else result[key] = reshaped;
  }
  return result;
}

function nulls(keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The fields of a selection, those of its fragments included. */
function fieldsOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    return fieldsOf(inner?.selectionSet, fragments);
  });
}

function keyOf(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}
