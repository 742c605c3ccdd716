import type { ConversationStatus, RunStatus } from '../contract/statuses.ts';
import type { BranchMethods, ReplaceOptions } from './branch-api.ts';
import type { ContentInput, Message } from './content.ts';
import type { ParleyError } from './error.ts';
import type { Handling, HandlingChange } from './history.ts';
import type { RateMessageOptions } from './rate-message.ts';
import type { ConversationTurn } from './turn.ts';

/** Options of {@link ConversationController.run} and {@link ConversationController.stream}. */
export interface MessageOptions {
  /** The user's message. Optional with `triggerId`. */
  readonly content?: ContentInput | undefined;
  /** Values for the placeholders in the deployment's instructions. Only with the first message. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Labels to filter lists by. Only with the first message. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Pairs of earlier messages that the model receives, 0 to 100. Default: 5. */
  readonly historyLimit?: number | undefined;
  /** A prepared first message; see `client.trigger`. */
  readonly triggerId?: string | undefined;
  /**
   * 1 to 255 visible ASCII characters. A second request with the same key does not take a second turn: it returns the
   * result of the first. Use it to resend a message whose delivery is uncertain. Default: a new key for
   * {@link ConversationController.run}, no key for a stream.
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborts the call. Aborting a stream also stops the reply on the server, which stores the partial reply. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link ConversationController.loadMessages}. */
export interface LoadMessagesOptions {
  /** The page number. Page 1 has the oldest messages. Default: 1. */
  readonly page?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  readonly pageSize?: number | undefined;
  /** True: keep the loaded messages. Default: false, replace them. */
  readonly append?: boolean | undefined;
}

/** A page of a numbered list. */
export interface NumberedPage<Item> {
  /** The items of this page. */
  readonly items: readonly Item[];
  /** The number of items in the whole list. */
  readonly total: number;
  /** The page number, from 1. */
  readonly page: number;
  /** The requested page size. */
  readonly pageSize: number;
  /** Whether there is a next page. */
  readonly hasMore: boolean;
}

/** Options of {@link ConversationController.list}. */
export interface ListOptions {
  /** Only conversations that have all of these labels. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The page number, from 1. Default: 1. */
  readonly page?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  readonly pageSize?: number | undefined;
}

/** A conversation in a list. */
export interface ConversationSummary {
  /** The ID for {@link ConversationController.start}. */
  readonly conversationId: string;
  /** The deployment of the conversation. */
  readonly deploymentId: string;
  /** The title. */
  readonly name: string;
  /** Its labels. */
  readonly meta: Readonly<Record<string, string | number | boolean>>;
  /** The number of stored messages. */
  readonly messageCount: number;
  /** `active`, or `completed`: a completed conversation accepts no more turns. */
  readonly status: ConversationStatus;
  /** The status of its latest agent turn. Null if the latest turn was a chat turn. */
  readonly runStatus: RunStatus | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  /** ISO 8601, UTC. Null while the conversation is active. */
  readonly completedAt: string | null;
}

/** Options of {@link ConversationController.update}. */
export interface ConversationChanges {
  /** 1 to 100 characters. Default: the name stays. */
  readonly name?: string | undefined;
  /** Labels by name. Null removes a label. */
  readonly meta?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/**
 * The state of a chat conversation. Immutable: each change makes a new object.
 *
 * @example
 * const { messages, live } = client.conversation.getState();
 */
export interface ChatState {
  /** The ID of the conversation. Null before its first turn. */
  readonly id: string | null;
  /**
   * `active`, or `completed`: a completed conversation accepts no more turns. Null before the first turn, and in an opened
   * conversation until a turn or {@link ConversationController.follow} has read it.
   */
  readonly conversationStatus: ConversationStatus | null;
  /** `running` during a turn, also of another client while following; `loading` while messages are loading. */
  readonly status: 'idle' | 'loading' | 'running' | 'success' | 'error';
  /**
   * The text of the reply that is being written: by {@link ConversationController.stream}, and while the controller
   * follows its conversation also by turns of other clients. Null if no reply is being written. It becomes null in the
   * same change that adds the stored message to `messages`.
   */
  readonly live: string | null;
  /** The result of the latest turn. */
  readonly data: ConversationTurn | null;
  /** The loaded messages and those of this controller's turns, oldest first. */
  readonly messages: readonly Message[];
  /** Set while a person answers, or the conversation waits for one. Null: the assistant answers. */
  readonly handling: Handling | null;
  /**
   * The changes of `handling`, oldest first, for example to show where a person has joined: those among the newest items, and
   * later ones. Their order among the messages follows from the numbers in their IDs.
   */
  readonly handlingChanges: readonly HandlingChange[];
  /** The page that was loaded last. */
  readonly messagesPageInfo: Omit<NumberedPage<Message>, 'items'> | null;
  /** The result of the last {@link ConversationController.list}. */
  readonly conversations: readonly ConversationSummary[];
  /** The reason of the status `error`. Null with any other status. */
  readonly error: ParleyError | null;
}

/**
 * One chat conversation (v1) and its state. `client.conversation` is one; `client.createConversation()` makes others.
 * All methods reject with a {@link ParleyError}.
 *
 * @example
 * const { content } = await client.conversation.run({ content: 'Hello' });
 */
export interface ConversationController extends BranchMethods<ReplaceOptions, ConversationTurn> {
  /**
   * Switches to a conversation, or to a new one, which the next turn creates. Sends no request.
   *
   * @example
   * conversation.start(savedId);
   * await conversation.loadMessages();
   */
  start(conversationId?: string): void;

  /**
   * Sends a message and waits for the whole reply.
   *
   * @example
   * const { content, conversationId } = await conversation.run({ content: 'Hello', meta: { shop: 'north' } });
   * @throws {ParleyError} 409 `run_in_progress`, `client_action_required`, `conversation_completed`; 502 `model_error`
   */
  run(options: MessageOptions): Promise<ConversationTurn>;

  /**
   * Sends a message and streams the reply: `live` of the state grows with each delta.
   *
   * After an abort the service stores the partial reply. `messages` shows the question and the partial reply as soon as
   * they are stored.
   *
   * @example
   * conversation.subscribe(({ live }) => live !== null && show(live));
   * await conversation.stream({ content: 'Tell me more', historyLimit: 10 });
   * @throws {ParleyError} as {@link ConversationController.run}; `connection_error` if the stream is cut off
   */
  stream(options: MessageOptions): Promise<ConversationTurn>;

  /**
   * Loads a page of stored messages into the state.
   *
   * @example
   * const { hasMore } = await conversation.loadMessages({ page: 2, append: true });
   * @throws {ParleyError} 400 `invalid_request` if the ID is not a UUID, 404 `not_found`; `invalid_call` before the
   * first turn
   */
  loadMessages(options?: LoadMessagesOptions): Promise<NumberedPage<Message>>;

  /**
   * Lists conversations of the deployment, latest activity first. Needs an API key or a session token.
   *
   * @example
   * const { items } = await conversation.list({ meta: { shop: 'north' } });
   * @throws {ParleyError} 401 `unauthorized`, 403 `forbidden`
   */
  list(options?: ListOptions): Promise<NumberedPage<ConversationSummary>>;

  /**
   * Names a conversation in place of the name that the service gave it. Works for agent conversations, too.
   *
   * @example
   * await conversation.rename(savedId, 'Return of the blue shoes');
   * @throws {ParleyError} 400 `invalid_request` if the name is blank or has more than 100 characters, 401
   * `unauthorized`, 403 `forbidden`, 404 `not_found`
   */
  rename(conversationId: string, name: string): Promise<void>;

  /**
   * Changes the name or the labels of a conversation. A label in `meta` replaces the old one, null removes it, and others
   * stay. Works for agent conversations, too.
   *
   * @example
   * await conversation.update(savedId, { meta: { shop: 'north', tier: null } });
   * @throws {ParleyError} 400 `invalid_request` if a label is invalid or there are too many, 401 `unauthorized`, 403
   * `forbidden`, 404 `not_found`
   */
  update(conversationId: string, changes: ConversationChanges): Promise<void>;

  /**
   * Follows the open conversation, and the conversations that are opened later: loads the newest messages, and shows the
   * turns of other clients in `messages`, `live` and `status`. A reply that is being written is shown from its start, also
   * after a reload. Uses one connection. Returns the function that ends it.
   *
   * @example
   * conversation.start(savedId);
   * const unfollow = conversation.follow();
   */
  follow(): () => void;

  /**
   * Stops the running turn on the server, even if another client started it. The service keeps the text so far. A pending
   * `run` or `stream` resolves with that text. Resolves with the state after the stop. Does nothing if no turn is running.
   *
   * {@link ConversationController.abort} only ends the call of this client. An aborted stream stops on the server, too,
   * unless the deployment lets it continue.
   *
   * @example
   * stopButton.onclick = () => conversation.stop();
   * @throws {ParleyError} 401 `unauthorized`, 403 `forbidden`, 404 `not_found`
   */
  stop(): Promise<ChatState>;

  /**
   * Rates a reply of the open conversation. The rating replaces an earlier one. The state then contains it.
   *
   * @example
   * await conversation.rateMessage(message.id, { rating: 'up' });
   * @throws {ParleyError} `invalid_call` before the first turn; 400 `invalid_request` for the message of a user; 404
   * `not_found`
   */
  rateMessage(messageId: number | string, options: RateMessageOptions): Promise<ChatState>;

  /**
   * Aborts the running call. A streamed reply also stops on the server, which stores the partial reply.
   *
   * @example
   * addEventListener('pagehide', () => conversation.abort());
   */
  abort(): void;

  /**
   * Calls the listener with each new state. Returns the function that unsubscribes.
   *
   * @example
   * const unsubscribe = conversation.subscribe(({ live }) => console.log(live));
   */
  subscribe(listener: (state: ChatState) => void): () => void;

  /**
   * Returns the current state. The same object until something changes.
   *
   * @example
   * const { id } = conversation.getState();
   */
  getState(): ChatState;
}
