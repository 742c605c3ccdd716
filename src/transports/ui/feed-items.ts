import type { FinishReason, RunStatus } from '../../contract/statuses.ts';

/** A call, as the documents of the chat select it. */
export interface CallItem {
  readonly call_id: string;
  readonly name: string;
  readonly status: string;
  readonly summary: string;
  /** Only calls of client tools have arguments and an output. */
  readonly arguments?: unknown;
  readonly output?: { readonly approved?: unknown; readonly reason?: unknown } | null;
  /** The arguments of a call of the server. Null: the caller may not read them. */
  readonly input?: unknown;
}

/** An item of the timeline, as the documents of the chat select it. */
export type FeedItem =
  | { readonly type: 'message' | 'conversation_completed' }
  | ({ readonly type: 'tool' | 'action' | 'client_tool' } & CallItem);

/** A run, as the documents of the chat select it. */
export interface ChatRun {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly model: string;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly created_at: unknown;
}

/** The end of a turn, as the document of the feed selects it. */
export interface TurnEnd {
  readonly run_status: RunStatus;
  readonly finish_reason: FinishReason | null;
  readonly error_code: string | null;
}

/** The arguments of an approval that a chunk needs. */
export interface ApprovalRequest {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: unknown;
}
