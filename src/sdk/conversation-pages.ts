import type { ConversationStatus, RunStatus } from '../contract/statuses.ts';
import type { ConversationSummary, NumberedPage } from './conversation-api.ts';

/** A page of a numbered list in the REST API. */
export interface WirePage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
  readonly has_more: boolean;
}

/** A conversation of a list in the REST API. */
export interface WireSummary {
  readonly conversation_id: string;
  readonly deployment_id: string;
  readonly name: string;
  readonly meta: ConversationSummary['meta'];
  readonly message_count: number;
  readonly status: ConversationStatus;
  readonly run_status: RunStatus | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
}

export function fromWirePage<Wire, Item>(wire: WirePage<Wire>, fromWire: (item: Wire) => Item): NumberedPage<Item> {
  const { items, total, page, page_size: pageSize, has_more: hasMore } = wire;
  return { items: items.map(fromWire), total, page, pageSize, hasMore };
}

export function fromWireSummary(wire: WireSummary): ConversationSummary {
  return {
    conversationId: wire.conversation_id,
    deploymentId: wire.deployment_id,
    name: wire.name,
    meta: wire.meta,
    messageCount: wire.message_count,
    status: wire.status,
    runStatus: wire.run_status,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    completedAt: wire.completed_at,
  };
}
