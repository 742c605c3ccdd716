import type { ConversationStatus } from '../contract/statuses.ts';
import type { JsonObject } from './history.ts';

/** What a reply is: a text, or an object where the deployment has an output schema. */
export type ReplyContent = string | JsonObject;

interface Reply {
  /** What the assistant answered. */
  readonly content: ReplyContent;
  /** Which model answered, as `provider:name`. */
  readonly model: string;
  /** Tokens that the model read. */
  readonly inputTokens: number;
  /** Tokens that the model wrote. */
  readonly outputTokens: number;
  /** Seconds, with millisecond precision. */
  readonly responseTime: number;
  /** For support. */
  readonly requestId: string;
}

/** A turn of ordinary chat. */
export interface ConversationTurn extends Reply {
  /** What the next turn goes on in. */
  readonly conversationId: string;
  /** Whether it still takes turns. */
  readonly conversationStatus: ConversationStatus;
  /** ISO 8601, UTC; null while the conversation is active. */
  readonly completedAt: string | null;
  /** The conversation's title. */
  readonly name: string;
}

/** A run outside of any conversation. */
export interface OneShotRun extends Reply {
  /** Its line in the workflow log. */
  readonly workflowLogId: number | null;
}

interface WireReply {
  readonly content: ReplyContent;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly response_time: number;
  readonly request_id: string;
}

export interface WireTurn extends WireReply {
  readonly conversation_id: string;
  readonly status: ConversationStatus;
  readonly completed_at: string | null;
  readonly name: string;
}

export interface WireRun extends WireReply {
  readonly workflow_log_id: number | null;
}

function fromWireReply(wire: WireReply): Reply {
  return {
    content: wire.content,
    model: wire.model,
    inputTokens: wire.input_tokens,
    outputTokens: wire.output_tokens,
    responseTime: wire.response_time,
    requestId: wire.request_id,
  };
}

export function fromWireTurn(wire: WireTurn): ConversationTurn {
  return {
    ...fromWireReply(wire),
    conversationId: wire.conversation_id,
    conversationStatus: wire.status,
    completedAt: wire.completed_at,
    name: wire.name,
  };
}

export function fromWireRun(wire: WireRun): OneShotRun {
  return { ...fromWireReply(wire), workflowLogId: wire.workflow_log_id };
}
