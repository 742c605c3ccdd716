/** The state of a hosted page in a frame, which the page sends to the widget. It contains only an ID and numbers. */
export interface FrameState {
  readonly type: 'parley:state';
  /** The ID of the open conversation. Null: a new one. */
  readonly conversation: string | null;
  /** The numbers of the newest messages and questions of the assistant. They increase within a conversation. */
  readonly replies: readonly number[];
}

/** Limit: replies that a page reports. */
export const REPORTED_REPLIES = 20;
