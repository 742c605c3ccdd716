import type { ConversationStatus, RunStatus } from '../contract/statuses.ts';
import type { ContentInput, Message } from './content.ts';
import type { ParleyError } from './error.ts';
import type { ConversationTurn } from './turn.ts';

/** A turn of ordinary chat, to be taken. */
export interface MessageOptions {
  /** What the user says; may be left out of a first message where a trigger says it. */
  readonly content?: ContentInput | undefined;
  /** For the deployment's instructions; with the first message alone. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Labels to find it by; with the first message alone. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Pairs of earlier messages that the model is given, 0 to 100. Default 5. */
  readonly historyLimit?: number | undefined;
  /** A prepared first message, see `client.trigger`. */
  readonly triggerId?: string | undefined;
  /**
   * Under the key of an earlier call, what that one has done is answered again and not done again: for a message that is
   * sent again because nobody knows whether it has arrived. Default: a new one for {@link ConversationController.run},
   * none for a stream.
   */
  readonly idempotencyKey?: string | undefined;
  /** Gives up; of a stream this stops the reply, and what was written of it is stored. */
  readonly signal?: AbortSignal | undefined;
}

/** Which messages to load. */
export interface LoadMessagesOptions {
  /** From 1, which holds the oldest. Default 1. */
  readonly page?: number | undefined;
  /** 1 to 100. Default 20. */
  readonly pageSize?: number | undefined;
  /** True: beside those that are loaded. Default: in their place. */
  readonly append?: boolean | undefined;
}

/** A page of a numbered list. */
export interface NumberedPage<Item> {
  /** Those of this page. */
  readonly items: readonly Item[];
  /** Items of the whole list. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  /** As it was asked for. */
  readonly pageSize: number;
  /** Whether a later page holds more. */
  readonly hasMore: boolean;
}

/** Which conversations to list. */
export interface ListOptions {
  /** Only those with these labels, all of them. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** From 1. Default 1. */
  readonly page?: number | undefined;
  /** 1 to 100. Default 20. */
  readonly pageSize?: number | undefined;
}

/** A conversation of a list. */
export interface ConversationSummary {
  /** What {@link ConversationController.start} takes. */
  readonly conversationId: string;
  /** The deployment that answers in it. */
  readonly deploymentId: string;
  /** Its title. */
  readonly name: string;
  /** The labels that it was begun with. */
  readonly meta: Readonly<Record<string, string | number | boolean>>;
  /** Stored messages. */
  readonly messageCount: number;
  /** Whether it still takes turns. */
  readonly status: ConversationStatus;
  /** Of its latest agent turn; null where it was ordinary chat. */
  readonly runStatus: RunStatus | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  /** ISO 8601, UTC; null while it is active. */
  readonly completedAt: string | null;
}

/**
 * What a chat page shows. A new object with each change; never changed itself.
 *
 * @example
 * const { messages, live } = client.conversation.getState();
 */
export interface ChatState {
  /** The conversation's id; null before its first turn. */
  readonly id: string | null;
  /** `running` while a turn is at work, `loading` while messages are read. */
  readonly status: 'idle' | 'loading' | 'running' | 'success' | 'error';
  /** The reply as far as it has been streamed; null where none is. */
  readonly live: string | null;
  /** The latest turn. */
  readonly data: ConversationTurn | null;
  /** Those that were loaded, and those of turns taken here; oldest first. */
  readonly messages: readonly Message[];
  /** The page that was loaded last. */
  readonly messagesPageInfo: Omit<NumberedPage<Message>, 'items'> | null;
  /** What was listed last. */
  readonly conversations: readonly ConversationSummary[];
  /** Set exactly while `status` is `error`. */
  readonly error: ParleyError | null;
}

/**
 * One ordinary conversation (v1) and its state. `client.conversation` is one; `client.createConversation()` makes others.
 * All methods reject with a {@link ParleyError}.
 *
 * @example
 * const { content } = await client.conversation.run({ content: 'Hello' });
 */
export interface ConversationController {
  /**
   * Goes on in this conversation, or begins a new one with the next turn. Sends nothing.
   *
   * @example
   * conversation.start(savedId);
   * await conversation.loadMessages();
   */
  start(conversationId?: string): void;

  /**
   * Takes a turn, and waits for the whole reply.
   *
   * @example
   * const { content, conversationId } = await conversation.run({ content: 'Hello', meta: { shop: 'north' } });
   * @throws {ParleyError} 409 `run_in_progress`, `client_action_required`, `conversation_completed`; 502 `model_error`
   */
  run(options: MessageOptions): Promise<ConversationTurn>;

  /**
   * Takes a turn; `live` of the state grows as the reply is made.
   *
   * @example
   * conversation.subscribe(({ live }) => live !== null && show(live));
   * await conversation.stream({ content: 'Tell me more', historyLimit: 10 });
   * @throws {ParleyError} as {@link ConversationController.run}; `connection_error` where it is cut off
   */
  stream(options: MessageOptions): Promise<ConversationTurn>;

  /**
   * Loads stored messages.
   *
   * @example
   * const { hasMore } = await conversation.loadMessages({ page: 2, append: true });
   * @throws {ParleyError} 404 `not_found`; `invalid_call` before the first turn
   */
  loadMessages(options?: LoadMessagesOptions): Promise<NumberedPage<Message>>;

  /**
   * Lists conversations of the deployment, latest activity first. Needs a key or a session.
   *
   * @example
   * const { items } = await conversation.list({ meta: { shop: 'north' } });
   * @throws {ParleyError} 401 `unauthorized`, 403 `forbidden`
   */
  list(options?: ListOptions): Promise<NumberedPage<ConversationSummary>>;

  /**
   * Gives up what is under way. A streamed reply stops at the service too; what was written of it is stored.
   *
   * @example
   * stopButton.onclick = () => conversation.abort();
   */
  abort(): void;

  /**
   * Calls the listener with each new state. Answers how to stop.
   *
   * @example
   * const stop = conversation.subscribe(({ live }) => console.log(live));
   */
  subscribe(listener: (state: ChatState) => void): () => void;

  /**
   * The state as it is now. The same object until something changes.
   *
   * @example
   * const { id } = conversation.getState();
   */
  getState(): ChatState;
}
