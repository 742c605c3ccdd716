import type { ConversationTurn, Message, MessageContent, ParleyError } from '../../sdk/index.ts';

/** A message that the user sent and that is not among the stored messages yet. */
export interface Outgoing {
  /** Unique on this page. */
  readonly key: number;
  readonly content: MessageContent;
  /** The trigger that contains the message. It starts a conversation. */
  readonly triggerId: string | undefined;
  /** The ID of the newest message before it. */
  readonly after: number;
  /** A retry with the same key is not taken twice, if the service can identify the visitor. */
  readonly idempotencyKey: string;
  /** `stopping` until the service has ended the turn. `answered` if its messages could not be read yet. */
  readonly phase: 'sending' | 'stopping' | 'stopped' | 'failed' | 'answered';
  /** The text of an incomplete reply. */
  readonly reply: string;
  /** The stored messages contain it and its reply. Only the reason for its end is shown. */
  readonly stored: boolean;
  /** The reason of the phase `failed`. Null in any other phase. */
  readonly error: ParleyError | null;
}

/** The state of the open conversation, in addition to its messages. */
export interface ThreadState {
  /** `loading` and `done`, or the reason why the conversation could not be loaded. */
  readonly opening: 'loading' | 'done' | ParleyError;
  /** The latest message, until it is stored. */
  readonly outgoing: Outgoing | null;
  /** Earlier messages that the service did not accept. */
  readonly unsent: readonly Outgoing[];
  /** Whether older messages can be loaded. */
  readonly earlier: 'none' | 'some' | 'loading';
  /** The conversation was already completed when it was opened. */
  readonly ended: boolean;
}

export const NEW_THREAD: ThreadState = {
  opening: 'done',
  outgoing: null,
  unsent: [],
  earlier: 'none',
  ended: false,
};

/** The state of a thread and its listeners. */
export interface ThreadStore {
  get(): ThreadState;
  set(patch: Partial<ThreadState>): void;
  subscribe(listener: () => void): () => void;
}

export function createThreadStore(): ThreadStore {
  let state = NEW_THREAD;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set(patch) {
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A reply as text: Markdown, or JSON if the deployment has an output schema. */
export function replyText({ content }: Pick<ConversationTurn, 'content'>): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Marks a message as stored if the stored messages contain it. The stored reply replaces the streamed one. */
export function withStored(outgoing: Outgoing, messages: readonly Message[]): Outgoing {
  const since = messages.filter(({ id }) => id > outgoing.after);
  const isStored = since.some(({ role, content }) => role === 'user' && isSame(content, outgoing.content));
  if (!isStored) return outgoing;
  const last = since.at(-1);
  const reply = last?.role === 'assistant' ? last.content : [];
  const text = reply.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { ...outgoing, stored: true, reply: text || outgoing.reply };
}

function isSame(one: MessageContent, other: MessageContent): boolean {
  const comparable = (content: MessageContent) => JSON.stringify(content.map((part) => Object.entries(part).sort()));
  return comparable(one) === comparable(other);
}

/** Whether the service may have accepted the message in spite of this error. */
export function isUncertain({ code }: ParleyError): boolean {
  return UNCERTAIN.has(code);
}

const UNCERTAIN: ReadonlySet<ParleyError['code']> = new Set([
  'connection_error',
  'internal_error',
  'invalid_response',
  'request_in_progress',
  'unavailable',
]);
