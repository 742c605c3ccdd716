import type { ActorKind } from '../../../contract/audit.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { ACTORS, Actor } from '../audit/audit-edges.ts';
import { ActorKindEnum } from '../audit/audit-enums.ts';
import { builder } from '../builder.ts';
import { loadNode } from '../edges.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';

/** An ID that no document can have becomes a version that no document has. */
function versionKey(id: string): [string, number] {
  const [, documentId = '', number = ''] = /^(doc_\w+):(\d{1,9})$/.exec(id) ?? [];
  return [documentId, Number(number)];
}

export const DocumentVersion = builder.prismaNode('DocumentVersion', {
  id: { resolve: ({ documentId, number }) => `${documentId}:${number}`, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'documents:read',
    nodeRows: { model: 'documentVersion', columns: ['documentId', 'number'], keyOf: versionKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => {
    const [documentId, number] = versionKey(id);
    return { environmentId_documentId_number: { environmentId: domain.environment.id, documentId, number } };
  },
  description: 'A version of a document. It never changes, and it stays trusted until the document is unpublished.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the version. Each document counts from 1.' }),
    text: t.exposeString('text', { description: 'The text, as it was published.' }),
    trustedId: t.exposeString('trustedId', {
      description: 'The ID for `documentId`: the SHA-256 of the `trustedText` of its check, in hexadecimal.',
    }),
    acknowledgedChanges: t.exposeStringList('acknowledged', {
      description: 'The changes to the version before that break callers, which its author acknowledged.',
    }),
    authorKind: t.field({
      type: ActorKindEnum,
      select: { authorKind: true },
      description: 'Who published it.',
      resolve: ({ authorKind }) => authorKind as ActorKind,
    }),
    author: t.field({
      type: Actor,
      nullable: true,
      access: { administrator: true },
      select: { authorKind: true, authorId: true },
      description:
        'The user or key that published it. Null: a former member, the operator, or the caller is no owner or admin. Needs a session of an owner or admin.',
      resolve: ({ authorKind, authorId }, _args, context, info) =>
        loadNode(ACTORS[authorKind], authorId, context, info),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
  }),
});
