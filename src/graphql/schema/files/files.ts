import { fileIdOfUri } from '../../../contract/file-uri.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { ReadyFile } from '../../../domain/files/file.ts';
import { fileOfPart, findFile, findReadyFiles, signedUrlOf } from '../../../domain/files/reads.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { FilePartObject } from '../content.ts';
import type { DeclaredErrors } from '../mutation.ts';

export const File = builder.node(builder.objectRef<ReadyFile>('File'), {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'conversations:read' } satisfies NodeExtensions,
  description: 'An uploaded file. Its bytes are complete, and their type was checked.',
  loadMany: (ids, { domain }) => findReadyFiles(domain, ids),
  fields: (t) => ({
    fileId: t.exposeString('id', { description: 'The ID: `file_` and 26 characters.' }),
    name: t.exposeString('name', { description: 'The name that the client sent, without folders.' }),
    mimeType: t.exposeString('mimeType', {
      description: 'The MIME type that the client announced. The beginning of the file does not contradict it.',
    }),
    sizeBytes: t.exposeInt('sizeBytes', { description: 'The size in bytes.' }),
    sha256: t.exposeString('sha256', { description: 'The SHA-256 of the bytes, in hexadecimal digits.' }),
    url: t.string({
      description: `A URL that reads the bytes without credentials. It expires after ${LIMITS.fileUrlMinutes} minutes. Each read returns a new one.`,
      resolve: (file, _args, { services, open }) => signedUrlOf(services, file, open.now()).url,
    }),
    urlExpiresAt: t.field({
      type: 'DateTime',
      description: 'When `url` expires.',
      resolve: (file, _args, { services, open }) => signedUrlOf(services, file, open.now()).until,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the upload was created.' }),
  }),
});

builder.queryField('file', (t) =>
  t.field({
    publishing: 'reads',
    type: File,
    nullable: true,
    access: runnerAccess('conversations:read'),
    extensions: { errors: ['not_found', 'file_content_missing'] } satisfies DeclaredErrors,
    description:
      'An uploaded file. Callers without credentials name the conversation that uses it, or the deployment of their own upload. Null: it does not exist, it is not complete, or the caller cannot read it. If the storage has lost its bytes, the error is `file_content_missing`. Scope: conversations:read.',
    args: {
      id: t.arg.id({ required: true, idOf: 'File', description: 'The ID of the file.' }),
      conversationId: t.arg({ type: 'UUID', idOf: 'Conversation', description: 'A conversation that uses the file.' }),
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        description: 'The deployment of an upload that no conversation uses yet.',
      }),
    },
    resolve: (_root, { id, conversationId }, { domain }) => findFile(domain, { fileId: String(id), conversationId }),
  }),
);

builder.objectField(FilePartObject, 'file', (t) =>
  t.field({
    type: File,
    nullable: true,
    description: 'The uploaded file. Null: `fileUri` is a URL, or the file was deleted.',
    resolve: ({ fileUri }, _args, { domain }) => {
      const id = fileIdOfUri(fileUri);
      return id === undefined ? null : fileOfPart(domain, id);
    },
  }),
);
