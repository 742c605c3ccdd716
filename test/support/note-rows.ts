import { randomUUID } from 'node:crypto';
import type { Conversation, PrismaClient } from '../../src/db/generated/client.ts';

/** A conversation with a note about it. */
export async function withNote(prisma: PrismaClient, conversation: Conversation) {
  const { id: conversationId, environmentId, createdAt } = conversation;
  const note = { id: randomUUID(), text: 'a', author: { displayName: 'A', kind: 'member', id: 'a' } };
  return {
    Conversation: conversation,
    ConversationNote: await prisma.conversationNote.create({
      data: { environmentId, conversationId, ...note, createdAt },
    }),
  };
}

/** A note of a member about a conversation. Returns its ID. */
export async function makeNote(prisma: PrismaClient, conversationId: string, memberId: string): Promise<string> {
  const { environmentId } = await prisma.conversation.findUniqueOrThrow({ where: { id: conversationId } });
  const author = { displayName: 'A', kind: 'member', id: memberId };
  const note = { environmentId, conversationId, id: randomUUID(), text: 'a', author, createdAt: new Date() };
  return (await prisma.conversationNote.create({ data: note })).id;
}
