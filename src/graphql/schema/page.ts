import type { ObjectRef } from '@pothos/core';
import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { NumberedPage } from '../../domain/page.ts';
import { builder } from './builder.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The internal type of a page of these items by page number: the envelope of every page/page_size list. */
export function numberedPageOf<Item>(
  name: string,
  item: ObjectRef<Types, Item>,
  descriptions: { readonly description: string; readonly hasMore: string },
) {
  return builder.objectRef<NumberedPage<Item>>(name).implement({
    internal: true,
    description: descriptions.description,
    fields: (t) => ({
      items: t.field({ type: [item], description: 'The items of this page.', resolve: ({ items }) => items as never }),
      total: t.exposeInt('total', { description: 'Number of items in the whole list.' }),
      page: t.exposeInt('page', { description: 'The requested page number.' }),
      pageSize: t.exposeInt('pageSize', { description: 'The requested page size.' }),
      hasMore: t.exposeBoolean('hasMore', { description: descriptions.hasMore }),
    }),
  });
}

/** Whether the document selects this field of the field that is being resolved. Ignores @skip and @include. */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const includesField = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value === name;
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      return includesField(inner?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => includesField(selectionSet));
}
