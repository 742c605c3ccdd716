import type { EventView } from './resource-apis.ts';
import type { TestService } from './service.ts';

/** The lifecycle events of a conversation, oldest first, as stored. */
export async function lifecycleOf({ service }: TestService, conversationId: string): Promise<EventView[]> {
  const rows = await service.services.stores.prisma.$queryRaw<EventView[]>`
    SELECT id, type, resource_id, payload, occurred_at FROM event
    WHERE conversation_id = ${conversationId}::uuid ORDER BY xid, id`;
  return rows;
}

/** Their types. */
export async function lifecycleTypes(service: TestService, conversationId: string): Promise<string[]> {
  return (await lifecycleOf(service, conversationId)).map(({ type }) => type);
}

const TERMINAL = ['run.completed', 'run.failed', 'run.interrupted'];

/** Compares the terminal events of a conversation with its runs. Each run that has ended has exactly one. */
export async function terminalEvents(service: TestService, conversationId: string) {
  const runs = await service.service.services.stores.prisma.run.findMany({ where: { conversationId } });
  const events = (await lifecycleOf(service, conversationId)).filter(({ type }) => TERMINAL.includes(type));
  const ended = runs.filter(({ status }) => status !== 'running' && status !== 'waiting_for_client_action');
  return {
    runs: ended.map(({ id, status }) => `${id} run.${status}`).sort(),
    events: events.map(({ resource_id, type }) => `${resource_id} ${type}`).sort(),
  };
}
