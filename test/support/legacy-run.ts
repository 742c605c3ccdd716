import { randomUUID } from 'node:crypto';
import type { TestService } from './service.ts';

/** A conversation with a run that is not an agent run and waits for its client, as the original service stored it. */
export async function makeLegacyRun(service: TestService, expiresAt: Date) {
  const { body } = await service.agentTurn('Hello');
  const conversationId: string = body.conversation_id;
  const { prisma } = service.service.services.stores;
  const conversation = await prisma.conversation.findFirstOrThrow({ where: { id: conversationId } });
  const now = new Date();
  const run = await prisma.run.create({
    data: {
      id: randomUUID(),
      environmentId: conversation.environmentId,
      conversationId,
      workflowVersion: 1,
      agent: false,
      status: 'waiting_for_client_action',
      step: 1,
      expiresAt,
      model: 'demo',
      requestId: 'legacy',
      createdAt: now,
      updatedAt: now,
    },
  });
  const callId = `call_${randomUUID()}`;
  const [next] = await prisma.$queryRaw<{ revision: bigint }[]>`SELECT nextval('timeline_revision') AS revision`;
  await prisma.timelineItem.create({
    data: {
      environmentId: conversation.environmentId,
      conversationId,
      runId: run.id,
      kind: 'client_tool',
      step: 1,
      callId,
      name: 'lookup_customer',
      arguments: { customer_id: 'c1' },
      status: 'pending',
      revision: next?.revision ?? 0n,
      createdAt: now,
    },
  });
  await prisma.conversation.updateMany({ where: { id: conversationId }, data: { latestRunId: run.id } });
  return { conversationId, callId };
}
