import { expect } from 'vitest';
import { recountUsage } from './conversation-usage.ts';
import { startService, type TestService } from './service.ts';
import { createTrigger } from './triggers.ts';

/** The label of each conversation and its first message. */
export const MESSAGES: Readonly<Record<string, string>> = {
  coffee: 'Where is the Café near Zürich?',
  car: 'My blue car does not start',
  red: 'A car that is red, not blue',
  quotes: `O'Neil said "hello"; DROP TABLE conversation; -- 100%_`,
  invoice: 'Please send invoice-17 to ann@example.com',
  cyrillic: 'Привет, ёлка',
};

export const LIST = `query ($filter: ConversationFilter, $orderBy: ConversationOrder, $first: Int, $after: String) {
  conversations(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    totalCount nodes { conversationId meta usage { turns failures inputTokens outputTokens responseTimeMs cost } }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const labels = (rows: readonly { meta: { n: string } }[]) => rows.map(({ meta }) => meta.n);

/** A service with conversations that have the labels of `MESSAGES`, "failed", "asking" and "triggered". */
export interface SearchService {
  readonly service: TestService;
  /** Conversation IDs by label `n`, in the order in which they started. */
  readonly ids: ReadonlyMap<string, string>;
  /** The trigger of the conversation "triggered". */
  readonly triggerId: string;
}

export async function startSearchService(): Promise<SearchService> {
  const service = await startService();
  const ids = new Map<string, string>();
  for (const [n, text] of Object.entries(MESSAGES)) {
    const { body } = await service.chat(text, { meta: { n } });
    ids.set(n, body.conversation_id);
  }
  const failed = await service.agentTurn('Something long to read', { meta: { n: 'failed' } });
  ids.set('failed', failed.body.conversation_id);
  await service.agentTurn('/fail', { conversation_id: failed.body.conversation_id });
  const asking = await service.agentTurn('/ask', { client_capabilities: ['ask_user'], meta: { n: 'asking' } });
  ids.set('asking', asking.body.conversation_id);
  const { body } = await createTrigger(service, { content: [{ type: 'text', text: 'From a trigger' }] });
  const triggered = await service.chat('', { trigger_id: body.id, content: [], meta: { n: 'triggered' } });
  ids.set('triggered', triggered.body.conversation_id);
  await setFigures(service, ids);
  await addTurn(service, ids.get('car') ?? '');
  await recountUsage(service.service.services.stores.prisma);
  return { service, ids, triggerId: body.id };
}

/** Distinct figures, so each order is total: 10, 20, … milliseconds and 1, 2, … input tokens. A token costs 1. */
async function setFigures(service: TestService, ids: ReadonlyMap<string, string>): Promise<void> {
  await service.graphql(
    'mutation { setModelPrice(input: { model: "demo", inputPerMillion: 1000000, outputPerMillion: 0 }) { __typename } }',
  );
  for (const [index, id] of [...ids.values()].entries()) {
    const figures = { responseTimeMs: (index + 1) * 10, inputTokens: index + 1 };
    await service.service.services.stores.prisma.workflowLog.updateMany({
      where: { conversationId: id },
      data: figures,
    });
  }
}

/** Gives a conversation a name and a second turn, which is fast and has 8 input tokens. */
async function addTurn(service: TestService, id: string): Promise<void> {
  const { prisma } = service.service.services.stores;
  const before = await prisma.workflowLog.findFirstOrThrow({ where: { conversationId: id } });
  await service.chat('A later remark about pumpernickel', { conversation_id: id });
  await prisma.workflowLog.updateMany({
    where: { conversationId: id, id: { gt: before.id } },
    data: { responseTimeMs: 1, inputTokens: 8 },
  });
  await prisma.conversation.updateMany({ where: { id }, data: { name: 'Broken vehicle' } });
}

/** The labels of the conversations that both APIs find, in order. */
export async function findBoth(
  service: TestService,
  filter: object,
  query: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { body } = await service.graphql(LIST, { filter, first: 100 });
  expect(body.errors).toBeUndefined();
  const byGraphql = labels(body.data.conversations.nodes);
  expect(body.data.conversations.totalCount).toBe(byGraphql.length);
  const byRest = await service.send('GET', `/v1/conversations?${new URLSearchParams({ limit: '100', ...query })}`);
  expect(byRest.status).toBe(200);
  expect(labels(byRest.body.data)).toEqual(byGraphql);
  return byGraphql;
}
