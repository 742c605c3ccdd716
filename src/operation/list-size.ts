import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { LIMITS } from '../contract/limits.ts';

/** How many items the cost limit counts for a list. */
export interface ListSize {
  /** The number if no argument names one. */
  readonly assumedSize: number;
  /** The arguments that name it: a page size, or the IDs of the items. */
  readonly slicingArguments: readonly string[];
  /** The lists of the page that the field returns. Empty if the field itself is the list. */
  readonly sizedFields: readonly string[];
}

/** The assumed length of lists without a page size. */
const UNCOUNTED_ITEMS = 5;

const SLICING_ARGUMENTS = ['first', 'last', 'ids', 'representations'];

type Field = GraphQLField<unknown, unknown>;

const sizes = new WeakMap<Field, { readonly size: ListSize | undefined }>();

/** The size of the list or page that a field returns. Undefined for other fields, and for the lists of a page. */
export function listSizeOf(field: Field, parent: GraphQLNamedType): ListSize | undefined {
  const known = sizes.get(field) ?? { size: sizeOf(field, parent) };
  sizes.set(field, known);
  return known.size;
}

function sizeOf(field: Field, parent: GraphQLNamedType): ListSize | undefined {
  const type = getNamedType(field.type);
  const slicingArguments = field.args.map(({ name }) => name).filter((name) => SLICING_ARGUMENTS.includes(name));
  if (isObjectType(type) && isPage(type)) {
    const sizedFields = Object.values(type.getFields()).flatMap((list) => (isListOfObjects(list) ? list.name : []));
    return { assumedSize: LIMITS.defaultPageSize, slicingArguments, sizedFields };
  }
  if (!isListOfObjects(field) || isPage(parent)) return undefined;
  return { assumedSize: UNCOUNTED_ITEMS, slicingArguments, sizedFields: [] };
}

function isListOfObjects({ type }: Field): boolean {
  return isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
}

/** Whether the type is a page: its lists have the size of the field that returns it. */
function isPage({ name }: GraphQLNamedType): boolean {
  return name.endsWith('Connection');
}
