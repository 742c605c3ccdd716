import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';

interface Place {
  readonly environmentId: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly createdAt: Date;
}

/** Rows that a conversation has only for a time: a queued message, the text of a running step, and somebody who types. */
export async function createPassingRows(
  prisma: PrismaClient,
  { environmentId, conversationId, runId, createdAt }: Place,
) {
  const later = new Date(Date.now() + 3_600_000);
  const place = { environmentId, conversationId };
  const turn = { runId: randomUUID(), agent: true, workflowVersion: 1, model: 'demo', requestId: 'r', createdAt };
  return {
    QueuedTurn: await prisma.queuedTurn.create({
      data: { ...place, ...turn, content: [], leaseOwner: randomUUID(), leaseExpiresAt: later },
    }),
    LiveText: await prisma.liveText.create({
      data: { runId, fence: 1, step: 1, position: 0, environmentId, text: 'a' },
    }),
    ConversationPresence: await prisma.conversationPresence.create({
      data: { ...place, person: 'user', kind: 'user', seenUntil: later },
    }),
  };
}
