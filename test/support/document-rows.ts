import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import type { Rows } from './all-models.ts';

/** A document with a version and calls. */
export async function documentRows(prisma: PrismaClient, environmentId: string): Promise<Rows> {
  const at = new Date();
  const data = { id: randomUUID(), environmentId, name: randomUUID(), kind: 'query', version: 1 } as const;
  const Document = await prisma.document.create({ data: { ...data, createdAt: at, updatedAt: at } });
  const ofDocument = { documentId: Document.id, environmentId };
  const version = { number: 1, text: '{ a }', trustedId: 'a', authorKind: 'api_key', createdAt: at };
  const counts = { calls: 1, errors: 0, totalMs: 1, durations: [1], lastCalledAt: at };
  return {
    Document,
    DocumentVersion: await prisma.documentVersion.create({ data: { ...ofDocument, ...version } }),
    DocumentCalls: await prisma.documentCalls.create({
      data: { ...ofDocument, day: new Date('2026-01-01'), ...counts },
    }),
  };
}
