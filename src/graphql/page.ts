import type { ObjectRef } from '@pothos/core';
import type { NumberedPage } from '../domain/page.ts';
import { builder } from './builder.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The type of a numbered page of these items: the envelope of every page/page_size list (WIRE 6). */
export function numberedPageOf<Item>(
  name: string,
  item: ObjectRef<Types, Item>,
  says: { readonly description: string; readonly hasMore: string },
) {
  return builder.objectRef<NumberedPage<Item>>(name).implement({
    description: says.description,
    fields: (t) => ({
      items: t.field({ type: [item], description: 'The items of this page.', resolve: ({ items }) => items as never }),
      total: t.exposeInt('total', { description: 'Items in the whole list.' }),
      page: t.exposeInt('page', { description: 'The number that was asked for.' }),
      pageSize: t.exposeInt('pageSize', { description: 'The size that was asked for.' }),
      hasMore: t.exposeBoolean('hasMore', { description: says.hasMore }),
    }),
  });
}
