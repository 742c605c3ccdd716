import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { AuditAction } from '../contract/audit.ts';
import type { Scope } from '../contract/scopes.ts';
import type PrismaTypes from '../db/generated/pothos.ts';
import { getDatamodel } from '../db/generated/pothos.ts';
import type { KeysetPage } from '../db/keyset.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import type { ClientCapability } from '../domain/agent/tools.ts';
import type { GraphContext } from './context.ts';
import type { CostExtensions } from './document-cost.ts';
import type { Access } from './field-scope.ts';
import { requireNodeScopes } from './node-scope.ts';

/** What a field of the runner asks for, and of which deployment or conversation. */
interface RunnerAccess extends RunnerAddress {
  readonly scope: Scope;
}

/** A JSON object: free keys, any values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Anybody known may ask for nodes; what each of them asks for is its type's own scope. */
const NODE_ACCESS = { authScopes: { credentials: true } };

/** The one schema's builder. Every root field names the scope that it asks of its caller. */
export const builder = new SchemaBuilder<{
  Context: GraphContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  AuthScopes: Required<Omit<Access, 'runner'>> & { runner: RunnerAccess };
  Connection: Pick<KeysetPage<object>, 'nextCursor' | 'totalCount'>;
  Scalars: {
    ClientCapability: { Input: ClientCapability; Output: never };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: JsonObject; Output: JsonObject };
    ReplyContent: { Input: never; Output: string | JsonObject };
    AuditAction: { Input: AuditAction; Output: AuditAction };
    Scope: { Input: Scope; Output: Scope };
    SafeInt: { Input: number; Output: number };
    UUID: { Input: string; Output: string };
  };
}>({
  plugins: [ScopeAuthPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.domain.db, dmmf: getDatamodel() },
  relay: {
    nodesOnConnection: { description: 'The items of this page.' },
    defaultConnectionTypeOptions: { description: 'A page of a list, and where its neighbours are.' },
    defaultEdgeTypeOptions: { description: 'An item of a page with its position in the list.' },
    cursorType: 'String',
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The items of this page, each with its cursor.',
    },
    nodesFieldOptions: { description: 'The items of this page.' },
    cursorFieldOptions: { description: 'The position of this item, for `after` and `before`.' },
    nodeFieldOptions: { description: 'The item.' },
    pageInfoFieldOptions: { description: 'What lies beyond this page.' },
    pageInfoTypeOptions: { description: 'What lies beyond a page.' },
    hasNextPageFieldOptions: { description: 'Whether items follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether items come before this page.' },
    startCursorFieldOptions: { description: 'The position of the first item, for `before`. Null where there is none.' },
    endCursorFieldOptions: { description: 'The position of the last item, for `after`. Null where there is none.' },
    firstArgOptions: { description: 'How many items from the start, 1 to 100; 20 by default. Not with `last`.' },
    lastArgOptions: { description: 'How many items from the end, 1 to 100. Not with `first`.' },
    afterArgOptions: { description: 'Only items after this cursor of the same list.' },
    beforeArgOptions: { description: 'Only items before this cursor of the same list.' },
    nodeTypeOptions: { description: 'Anything that has a global id.' },
    idFieldOptions: { description: 'The global id, for `node`.' },
    nodeQueryOptions: {
      ...NODE_ACCESS,
      args: { id: { description: 'As the `id` of any node.' } },
      description: "The thing with this global id; null where there is none. Scope: that of the thing's own field.",
      resolve: (_root, { id }, context, { schema }, load) => {
        requireNodeScopes([id], context, schema);
        return load(id);
      },
    },
    nodesQueryOptions: {
      ...NODE_ACCESS,
      args: { ids: { description: 'As the `id` of any node; the answer keeps their order.' } },
      description:
        "The things with these global ids, null where there is none. Scope: those of the things' own fields.",
      resolve: (_root, { ids }, context, { schema }, load) => {
        requireNodeScopes(ids, context, schema);
        return load(ids);
      },
    },
  },
  scopeAuth: {
    // A subscription is refused before it opens, not at its first event.
    authorizeOnSubscribe: true,
    authScopes: (context) => ({
      scope: (scope) => {
        context.requireScope(scope);
        return true;
      },
      scopes: (scopes) => {
        context.requireScopes(scopes);
        return true;
      },
      credentials: () => {
        context.requireCaller();
        return true;
      },
      runner: async ({ scope, ...address }) => {
        await context.enterRunner(scope, address);
        return true;
      },
      session: () => {
        context.requireSession();
        return true;
      },
      administrator: () => {
        context.requireAdministrator();
        return true;
      },
    }),
  },
});

/** Lets a file write fields that several input types share. */
export type InputFields =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types>
    ? PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>
    : never;

builder.queryType({ description: 'Reads. Each field names the scope that it needs.' });
builder.mutationType({ description: 'Changes. Each field names the scope that it needs.' });

builder.objectField(builder.pageInfoRef(), 'nextCursor', (t) =>
  t.string({
    nullable: true,
    description: 'What to pass on as `after` for the following page. Null at the end.',
    resolve: ({ hasNextPage, endCursor }) => (hasNextPage ? (endCursor ?? null) : null),
  }),
);

builder.globalConnectionField('nextCursor', (t) =>
  t.exposeString('nextCursor', {
    nullable: true,
    description:
      'What to pass on for the following page: as `after`, or as `before` when paging by `last`. Null at the end.',
  }),
);

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'Items in the whole list. Counted only when asked for.',
    extensions: { cost: 10 } satisfies CostExtensions,
    resolve: (page) => page.totalCount(),
  }),
);
