import { randomUUID } from 'node:crypto';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, type TestService } from './service.ts';

const DAY_MS = 86_400_000;

const TALKS = [
  'Where is my order 10482?',
  'Can I change the delivery address of my parcel?',
  'My invoice of March shows VAT twice',
  'Which plan has single sign-on, and what does it cost for forty people?',
  'The reset link for my password has expired before I could click on it, twice',
  'Please cancel my subscription at the end of the month',
  'Kann ich auch auf Deutsch schreiben?',
  'Return of a damaged lamp',
] as const;

const MODELS = ['openai:gpt-5-mini', 'anthropic:claude-sonnet-4-5', 'demo'] as const;

/** Creates conversations with their latest activity between minutes and days ago. */
export async function plantConversations(service: TestService, count: number): Promise<void> {
  const { prisma } = service.service.services.stores;
  for (let index = 0; index < count; index += 1) {
    const text = TALKS[index % TALKS.length] ?? '';
    const meta = { tier: index % 3 === 0 ? 'gold' : 'silver', shop: index % 2 === 0 ? 'north' : 'south' };
    const { body } = await (index % 2 === 0 ? service.agentTurn(text, { meta }) : service.chat(text, { meta }));
    const updatedAt = new Date(Date.now() - (index + 1) ** 2 * 11 * 60_000);
    await prisma.conversation.updateMany({
      where: { id: body.conversation_id },
      data: { updatedAt, createdAt: new Date(updatedAt.getTime() - 300_000) },
    });
  }
}

/** Creates workflow log entries for the last days: more on weekdays, some of them failed. */
export async function plantUsage(service: TestService, days: number): Promise<void> {
  const { prisma } = service.service.services.stores;
  const deployments = await prisma.deployment.findMany({ where: { id: { in: [DEMO_AGENT_ID, DEMO_CHAT_ID] } } });
  const environment = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  const rows = Array.from({ length: days }, (_, day) => linesOf(day, deployments, environment.id)).flat();
  await prisma.workflowLog.createMany({ data: rows });
}

/** The entries of one day. They are the same in each run. */
function linesOf(day: number, deployments: readonly { id: string; workflowId: number }[], environmentId: string) {
  const midday = Math.floor(Date.now() / DAY_MS) * DAY_MS - day * DAY_MS + 12 * 3_600_000;
  const isWeekend = [0, 6].includes(new Date(midday).getUTCDay());
  const count = (isWeekend ? 6 : 18) + ((day * 7) % 11);
  return Array.from({ length: count }, (_, index) => {
    const deployment = deployments[(day + index) % deployments.length];
    if (!deployment) throw new Error('There is no deployment.');
    const failed = (day * 5 + index) % 17 === 0;
    return {
      environmentId,
      workflowId: deployment.workflowId,
      workflowVersion: 1,
      deploymentId: deployment.id,
      requestId: randomUUID(),
      outcome: failed ? ('failed' as const) : ('completed' as const),
      errorCode: failed ? 'model_timeout' : null,
      model: MODELS[index % MODELS.length] ?? 'demo',
      inputTokens: 600 + ((day * 131 + index * 977) % 5_000),
      cachedInputTokens: (day * 131 + index * 977) % 600,
      outputTokens: 80 + ((day * 17 + index * 331) % 900),
      responseTimeMs: 700 + ((day * 211 + index * 1_543) % 6_500),
      // Entries of today must not be in the future.
      createdAt: new Date(Math.min(midday + index * 60_000, Date.now() - index * 60_000)),
    };
  });
}
