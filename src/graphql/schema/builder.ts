import { LIMITS } from '../../contract/limits.ts';
import './plugins/access-plugin.ts';
import './plugins/columns-plugin.ts';
import './plugins/ids-plugin.ts';
import './plugins/look-up-plugin.ts';
import './plugins/node-id-plugin.ts';
import './plugins/reach-plugin.ts';
import './plugins/visibility-plugin.ts';
import SchemaBuilder, { type ArgBuilder } from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type PrismaTypes from '../../db/generated/pothos.ts';
import { getDatamodel } from '../../db/generated/pothos.ts';
import type { KeysetPage } from '../../db/keyset-page.ts';
import type { OperationContext } from '../../operation/context.ts';
import type { CostExtensions } from '../../operation/document-cost.ts';

/** A JSON object with any keys and values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reading nodes needs a valid credential. Each node also requires the scope of its type. */
export const NODE_ACCESS = { access: { credentials: true } };

/** The schema builder. Every root field states the permission that its caller needs. */
export const builder = new SchemaBuilder<{
  Context: OperationContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  Connection: Pick<KeysetPage<object>, 'nextCursor' | 'totalCount'>;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: JsonObject; Output: JsonObject };
    ReplyContent: { Input: never; Output: string | JsonObject };
    SafeInt: { Input: number; Output: number };
    UUID: { Input: string; Output: string };
  };
}>({
  plugins: ['access', 'visibility', 'ids', 'lookUp', 'reach', 'columns', RelayPlugin, PrismaPlugin, 'nodeId'],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.domain.db, dmmf: getDatamodel() },
  relay: {
    nodesOnConnection: { description: 'The items of this page.' },
    defaultConnectionTypeOptions: { description: 'A page of a list, with its position in the list.' },
    defaultEdgeTypeOptions: { description: 'An item of a page with its cursor.' },
    cursorType: 'String',
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The items of this page, each with its cursor.',
    },
    nodesFieldOptions: { description: 'The items of this page.' },
    cursorFieldOptions: { description: 'The position of this item, for `after` and `before`.' },
    nodeFieldOptions: { description: 'The item.' },
    pageInfoFieldOptions: { description: 'Whether the list continues before or after this page.' },
    pageInfoTypeOptions: { description: 'Whether the list continues before or after a page.' },
    hasNextPageFieldOptions: { description: 'Whether the list has items after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has items before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first item, for `before`. Null: the page is empty.' },
    endCursorFieldOptions: { description: 'The cursor of the last item, for `after`. Null: the page is empty.' },
    firstArgOptions: {
      description: `Page size from the start of the list: 1 to ${LIMITS.pageSize}, by default ${LIMITS.defaultPageSize}. Not together with \`last\`.`,
    },
    lastArgOptions: {
      description: `Page size from the end of the list: 1 to ${LIMITS.pageSize}. Not together with \`first\`.`,
    },
    afterArgOptions: { description: 'Only items after this cursor of the same list with the same filters.' },
    beforeArgOptions: { description: 'Only items before this cursor of the same list with the same filters.' },
    nodeTypeOptions: { description: 'An object with a global ID.' },
    idFieldOptions: { description: 'The global ID, for `node`.' },
    // nodes.ts defines both.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
});

/** The types of the schema. */
export type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Known> ? Known : never;

/** The type of `t` in functions that build fields for several input types. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** The type of `t.arg` in functions that build arguments for several fields. */
export type ArgumentFields = ArgBuilder<Types>;

builder.queryType({ description: 'Reads. The description of each field names its scope.' });
builder.mutationType({ description: 'Changes. The description of each field names its scope.' });

builder.objectField(builder.pageInfoRef(), 'nextCursor', (t) =>
  t.string({
    nullable: true,
    internal: true,
    description: 'The `after` of the next page. Null: this is the last page.',
    resolve: ({ hasNextPage, endCursor }) => (hasNextPage ? (endCursor ?? null) : null),
  }),
);

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'Number of items in the whole list. The service counts them only if this field is selected.',
    extensions: { cost: 10 } satisfies CostExtensions,
    resolve: (page) => page.totalCount(),
  }),
);
