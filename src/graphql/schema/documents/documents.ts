import { queryFromInfo } from '@pothos/plugin-prisma';
import { LIMITS } from '../../../contract/limits.ts';
import { DOCUMENT_KINDS } from '../../../contract/statuses.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { checkDocument, publishDocument, unpublishDocument } from '../../../domain/documents/publish.ts';
import { checkVersion, findDocument, listDocuments, versionText } from '../../../domain/documents/reads.ts';
import { DOCUMENT_VERSIONS } from '../../../domain/related/lists.ts';
import { rowKey } from '../../../domain/row-key.ts';
import type { OperationContext } from '../../../operation/context.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { DELETE_DOCUMENT, DOCUMENT, DOCUMENT_FILTER, PUBLISH_DOCUMENT } from '../../../shapes/documents.ts';
import { builder } from '../builder.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { enumType } from '../enum-type.ts';
import { errorType, registerErrors } from '../errors.ts';
import { orderInput } from '../filters.ts';
import { deletedId, mutation } from '../mutation.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { argument, inputType } from '../shape-fields.ts';
import { CheckedDocumentObject } from './document-checks.ts';
import { DocumentVersion } from './document-versions.ts';

const READ = { scope: 'documents:read' } as const;
const WRITE = { scope: 'documents:write' } as const;

const DocumentKindEnum = enumType('DocumentKind', DOCUMENT_KINDS, {
  description: 'The operation of a document.',
  values: { query: 'It reads.', mutation: 'It changes something.' },
});

/** Compiling a text takes as long as reading many objects. */
const COMPILED = { extensions: { cost: 10 } satisfies CostExtensions };

export const DocumentObject = builder.prismaNode('Document', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'documents:read',
    nodeRows: { model: 'document', keyOf: (id) => id },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, id),
  description:
    'A GraphQL operation that the environment has published. It is a trusted document, a REST path under /v1/x and a tool of the MCP server.',
  // Cursors need the times.
  select: { id: true, createdAt: true, updatedAt: true },
  fields: (t) => ({
    documentId: t.exposeID('id', { description: 'The ID: doc_ and 26 characters.' }),
    name: t.exposeString('name', { description: 'The name, unique in the environment. It never changes.' }),
    kind: t.expose('kind', { type: DocumentKindEnum, description: 'The operation of the current version.' }),
    version: t.exposeInt('version', { description: 'The number of the current version. Send it as `ifVersion`.' }),
    current: t.field({
      type: DocumentVersion,
      nullable: true,
      select: { id: true, version: true },
      description: 'The current version, which REST and MCP run. Null: the document was unpublished meanwhile.',
      resolve: ({ id, version }, _args, context, info) => loadEdge(`${id}:${version}`, context, info),
    }),
    check: t.field({
      type: CheckedDocumentObject,
      ...COMPILED,
      select: { id: true, name: true, version: true },
      description:
        'The current version as this release of the service compiles it: its route, its scopes, or its problems.',
      resolve: async ({ id, name, version }, _args, { domain }) => {
        const checked = await checkVersion(domain, versionText(domain, { id, name }, version));
        return { checked, breakingChanges: [] };
      },
    }),
    versions: t.connection(
      {
        type: DocumentVersion,
        access: READ,
        description: `The versions, newest first. The newest ${LIMITS.documentVersions} are kept. Scope: documents:read.`,
        resolve: ({ id }, args, context, info) => loadConnection(DOCUMENT_VERSIONS, id, args, context, info),
      },
      { name: 'DocumentVersionConnection', description: 'A page of versions.' },
      { name: 'DocumentVersionEdge' },
    ),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first published.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its current version was published.' }),
  }),
});

builder.prismaObjectField(DocumentVersion, 'document', (t) =>
  t.field({
    type: DocumentObject,
    nullable: true,
    access: READ,
    description: 'The document. Null: it was unpublished meanwhile, or the caller lacks the scope documents:read.',
    resolve: ({ documentId }, _args, context, info) => loadEdge(documentId, context, info),
  }),
);

const DocumentBy = builder.inputType('DocumentBy', {
  isOneOf: true,
  description: 'Names a document by its ID or by its name.',
  fields: (t) => ({
    id: t.id({ idOf: 'Document', description: 'The ID: doc_ and 26 characters.' }),
    name: t.string({ description: 'The name of a document of the environment.' }),
  }),
});

builder.queryField('document', (t) =>
  t.field({
    publishing: 'reads',
    type: DocumentObject,
    nullable: true,
    access: READ,
    description:
      'A published document of the environment. Null: it does not exist, or it is not visible to the caller. Scope: documents:read.',
    args: { by: t.arg({ type: DocumentBy, required: true, description: 'The document.' }) },
    resolve: (_root, { by }, context, info) =>
      findDocument(context.domain, by as never, queryFromInfo({ context, info })),
  }),
);

const DocumentOrder = orderInput('Document', {
  CREATED_AT: { value: 'createdAt', description: 'When it was first published.' },
  UPDATED_AT: { value: 'updatedAt', description: 'When its current version was published.' },
});

builder.queryField('documents', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: DocumentObject,
      access: READ,
      description: 'The published documents of the environment, newest first. Scope: documents:read.',
      args: {
        filter: t.arg({ type: inputType(DOCUMENT_FILTER), description: 'Omit it for all documents.' }),
        orderBy: t.arg({ type: DocumentOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy, ...args }, context, info) => {
        const query = queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });
        return listDocuments(context.domain, args, { filter: filter ?? {}, order: orderBy ?? null }, query);
      },
    },
    { name: 'DocumentConnection', description: 'A page of documents.' },
    { name: 'DocumentEdge' },
  ),
);

const counted = (context: OperationContext) => context.count(RATE_LIMITS.documentChecks, context.domain.environment.id);

builder.queryField('documentCheck', (t) =>
  t.field({
    publishing: 'reads',
    type: CheckedDocumentObject,
    access: WRITE,
    ...COMPILED,
    description: `Checks a text without publishing it. Limit, together with publications: ${RATE_LIMITS.documentChecks.points} per minute and environment. Scope: documents:write.`,
    args: {
      name: argument(t, DOCUMENT.name),
      text: argument(t, DOCUMENT.text),
    },
    resolve: async (_root, input, context) => {
      await counted(context);
      return checkDocument(context.domain, input);
    },
  }),
);

registerErrors({
  breaking_change: errorType(
    'BreakingChange',
    'The text would break callers of the current version, so it was not published.',
    (t) => ({
      changes: t.stringList({
        description: 'The changes that break callers, one sentence each.',
        resolve: ({ error: { details } }) => [...((details.facts as { changes?: readonly string[] })?.changes ?? [])],
      }),
    }),
  ),
});

mutation('publishDocument', {
  publishing: 'never',
  access: WRITE,
  description: `Publishes a GraphQL operation as a new document, or as the next version of the document with this name. The current text again changes nothing. Limit: ${LIMITS.documents} documents per environment. Scope: documents:write.`,
  input: inputType(PUBLISH_DOCUMENT),
  errors: ['invalid_request', 'precondition_failed', 'breaking_change'],
  resolve: async ({ name, text, ...rules }, context) => {
    await counted(context);
    return publishDocument(context.domain, { name, text }, rules);
  },
  payload: (t) => ({
    document: t.field({ type: DocumentObject, description: 'The published document.', resolve: (row) => row }),
  }),
});

mutation('deleteDocument', {
  publishing: 'never',
  access: WRITE,
  description:
    'Deletes a document with all its versions. Its path and tool no longer exist, and its IDs are no longer trusted. Scope: documents:write.',
  input: inputType(DELETE_DOCUMENT),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => unpublishDocument(domain, id),
  payload: (t) => ({
    deletedId: deletedId(t, 'Document', ({ id }) => id),
    name: t.string({ description: 'The name of the deleted document.', resolve: ({ name }) => name }),
  }),
});
