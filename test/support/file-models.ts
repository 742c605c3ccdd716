import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';

interface Owner {
  readonly environmentId: string;
  readonly conversationId: string;
  readonly createdAt: Date;
}

/** A row of each model of files. */
export async function createFileRows(
  prisma: Pick<PrismaClient, 'fileContent' | 'storedFile' | 'fileUse' | 'fileRemoval'>,
  { environmentId, conversationId, createdAt }: Owner,
) {
  const content = await prisma.fileContent.create({
    data: { id: randomUUID(), environmentId, sha256: randomUUID(), sizeBytes: 1, storageKey: 'a' },
  });
  const file = await prisma.storedFile.create({
    data: {
      id: randomUUID(),
      environmentId,
      name: 'a',
      mimeType: 'text/plain',
      sizeBytes: 1,
      contentId: content.id,
      createdAt,
      expiresAt: createdAt,
    },
  });
  return {
    FileContent: content,
    StoredFile: file,
    FileUse: await prisma.fileUse.create({ data: { environmentId, fileId: file.id, conversationId } }),
    FileRemoval: await prisma.fileRemoval.create({
      data: { prefix: randomUUID(), environmentId, removeAfter: createdAt },
    }),
  };
}

/** The columns that differ in a copy of such a row, and a change that is valid for any of them. */
export const FILE_VARIATIONS = {
  FileContent: { fresh: () => ({ id: randomUUID(), sha256: randomUUID() }), change: { storageKey: 'b' } },
  StoredFile: { fresh: () => ({ id: randomUUID() }), change: { name: 'b' } },
  FileUse: {
    fresh: () => ({ id: undefined, conversationId: null, triggerId: null }),
    change: { conversationId: null },
  },
  FileRemoval: { fresh: () => ({ prefix: randomUUID() }), change: { removeAfter: new Date(0) } },
} as const;
