import type { ConversationStatus, FinishReason } from '../contract/statuses.ts';
import type { Handling, JsonObject } from './history.ts';

/** A reply: a text, or an object if the deployment has an output schema. */
export type ReplyContent = string | JsonObject;

interface Reply {
  /** The reply of the assistant. */
  readonly content: ReplyContent;
  /** The model, as `provider:name`. */
  readonly model: string;
  /** Why the reply ended: `length` if it was cut off at the limit of the model. Null: the provider gave no known reason. */
  readonly finishReason: FinishReason | null;
  /** Input tokens. */
  readonly inputTokens: number;
  /** Output tokens. */
  readonly outputTokens: number;
  /** Duration in seconds, with millisecond precision. */
  readonly responseTime: number;
  /** Quote this ID when you ask the operator of the service for help. */
  readonly requestId: string;
}

/** The result of a chat turn. */
export interface ConversationTurn extends Reply {
  /** The conversation of this turn. Pass it to `conversation.start` to continue later. */
  readonly conversationId: string;
  /** `active`, or `completed`: a completed conversation accepts no more turns. */
  readonly conversationStatus: ConversationStatus;
  /** ISO 8601, UTC; null while the conversation is active. */
  readonly completedAt: string | null;
  /** The conversation's title. */
  readonly name: string;
  /** Set if the message was only stored, because it is for a person: `content` is empty then. */
  readonly handledBy?: Handling['mode'] | undefined;
}

/** The result of a run without a conversation. */
export interface OneShotRun extends Reply {
  /** The ID of its entry in the workflow log. */
  readonly workflowLogId: number | null;
}

interface WireReply {
  readonly content: ReplyContent;
  readonly model: string;
  readonly finish_reason: FinishReason | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly response_time: number;
  readonly request_id: string;
}

export interface WireTurn extends WireReply {
  readonly conversation_id: string;
  /** The responses that agents have, too, name it `conversation_status`. */
  readonly status?: ConversationStatus;
  readonly conversation_status?: ConversationStatus;
  readonly completed_at: string | null;
  readonly name: string;
  readonly handled_by?: Handling['mode'];
}

export interface WireRun extends WireReply {
  readonly workflow_log_id: number | null;
}

function fromWireReply(wire: WireReply): Reply {
  return {
    content: wire.content,
    model: wire.model,
    finishReason: wire.finish_reason,
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
    conversationStatus: wire.conversation_status ?? wire.status ?? 'active',
    completedAt: wire.completed_at,
    name: wire.name,
    ...(wire.handled_by && { handledBy: wire.handled_by }),
  };
}

export function fromWireRun(wire: WireRun): OneShotRun {
  return { ...fromWireReply(wire), workflowLogId: wire.workflow_log_id };
}
