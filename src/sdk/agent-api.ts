import type { AgentState } from './agent-state.ts';
import type { BranchMethods, ReplaceOptions } from './branch-api.ts';
import type { ContentInput } from './content.ts';
import type { JsonObject } from './history.ts';
import type { RateMessageOptions } from './rate-message.ts';

/** The second argument of a {@link ClientToolHandler}. */
export interface ClientToolCall {
  /** Unique in the conversation. Use it to run a side effect once, even if two tabs handle the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The conversation of the call. */
  readonly conversationId: string;
  /** Aborted when another client resolves the call or this controller is closed. */
  readonly signal: AbortSignal;
}

/**
 * Runs a client tool and returns its output. The controller calls it once for each call. If it throws or returns no
 * object, the call stays pending until {@link AgentController.resolveTool}, and the state has the error
 * `client_tool_failed`.
 *
 * @example
 * const lookup_customer: ClientToolHandler = async ({ customer_id }, { signal }) =>
 *   (await fetch(`/customers/${customer_id}`, { signal })).json();
 */
export type ClientToolHandler = (args: JsonObject, call: ClientToolCall) => JsonObject | Promise<JsonObject>;

/** A handler. A tool that the deployment does not define also needs a JSON Schema of its arguments. */
export type ClientTool = ClientToolHandler | { readonly inputSchema: JsonObject; readonly handler: ClientToolHandler };

/** A tool without a handler: its name, or its name and a JSON Schema of its arguments. */
export type ClientCapability = string | { readonly name: string; readonly inputSchema: JsonObject };

/** The tools of the client. They stay connected until another conversation is opened. */
export interface ToolOptions {
  /** Tools with a handler, by name. The assistant can call them. */
  readonly clientTools?: Readonly<Record<string, ClientTool>> | undefined;
  /** Tools without a handler, like a form for `ask_user`. Resolve them with {@link AgentController.resolveTool}. */
  readonly clientCapabilities?: readonly ClientCapability[] | undefined;
}

/** How a controller reads a conversation. */
export interface SyncOptions {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** False: poll only, without `live` in the state. Default: true, server-sent events; polling if they do not arrive. */
  readonly live?: boolean | undefined;
  /** Milliseconds between polls, 500 to 60,000. Default: 2,000. */
  readonly pollIntervalMs?: number | undefined;
}

/** Defaults of a controller. Options of its methods take precedence. */
export interface AgentOptions extends ToolOptions, SyncOptions {}

interface TurnOptions extends ToolOptions {
  /** Pairs of earlier messages that the model receives, 0 to 100. Default: 5. */
  readonly historyLimit?: number | undefined;
  /** Stops waiting for the response. The turn continues on the server. */
  readonly signal?: AbortSignal | undefined;
  /**
   * 1 to 255 visible ASCII characters. A second request with the same key does not take a second turn: it waits for the
   * result of the first. Store it to resend a turn after a reload. Default: a new key.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of {@link AgentController.start}. */
export interface StartOptions extends TurnOptions, SyncOptions {
  /** The user's message. Optional with `triggerId`. */
  readonly content?: ContentInput | undefined;
  /** A prepared first message; see `client.trigger`. */
  readonly triggerId?: string | undefined;
  /** Continues this conversation. Default: a new conversation. */
  readonly conversationId?: string | undefined;
  /** Values for the placeholders in the deployment's instructions. Only for a new conversation. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Labels of a new conversation, to filter lists by. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Options of {@link AgentController.continue}. */
export interface ContinueOptions extends TurnOptions {
  /** The user's message. Default: `Continue.`, which resumes an interrupted turn. */
  readonly content?: ContentInput | undefined;
}

/** Options of {@link AgentController.regenerate} and {@link AgentController.edit}. Without tools the turn has those of the replaced one. */
export interface AgentReplaceOptions extends ReplaceOptions, ToolOptions {}

/** Options of {@link AgentController.get}. */
export interface GetOptions {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link AgentController.open}. */
export interface OpenOptions extends ToolOptions, SyncOptions {}

/** Options of {@link AgentController.loadMoreHistory}. */
export interface LoadMoreOptions {
  /** Page size, 1 to 100. Default: the page size that the conversation was opened with. */
  readonly limit?: number | undefined;
}

/**
 * One open agent conversation and its state. `client.agent` is one; `client.createAgent()` makes others, for pages that
 * show several conversations.
 *
 * All methods reject with a {@link ParleyError}. After a 409 the state is already up to date: another client was first.
 *
 * @example
 * const agent = client.agent;
 * agent.subscribe((state) => render(state));
 * await agent.start({ content: 'Hello', clientCapabilities: ['ask_user'] });
 */
export interface AgentController extends BranchMethods<AgentReplaceOptions, AgentState> {
  /**
   * Sends a message and keeps the state synchronized from then on. Without `conversationId` it starts a new
   * conversation, which replaces the open one.
   *
   * Resolves when the assistant has replied **or called client tools**. With `clientTools` it therefore resolves while
   * the handlers are still running. Use {@link AgentController.settled} to wait for the end of the turn.
   *
   * @example
   * await agent.start({ content: 'Where is my order?', clientTools: { lookup_customer } });
   * const { messages, error } = await agent.settled();
   * @throws {ParleyError} 409 `run_in_progress`, `client_action_required`, `conversation_completed`,
   * `trigger_already_used`; 410 `trigger_expired`; 502 `model_error`
   */
  start(options?: StartOptions): Promise<AgentState>;

  /**
   * Resolves when the turn has settled: when `status` is `success`, `error`, `closed` or `idle`. Never rejects: `error`
   * of the state has the reason of a failure. A tool without a handler keeps it waiting until `resolveTool`.
   *
   * @example
   * await agent.start({ content: 'Where is my order?', clientTools: { lookup_customer } });
   * const { messages, error } = await agent.settled();
   */
  settled(): Promise<AgentState>;

  /**
   * Reads a conversation once. Does not open it and runs no handlers.
   *
   * @example
   * const { status, pendingToolCalls } = await agent.get(conversationId);
   * @throws {ParleyError} 400 `invalid_request` if the ID is not a UUID, 404 `not_found`
   */
  get(conversationId: string, options?: GetOptions): Promise<AgentState>;

  /**
   * Opens a conversation: loads the newest page and then follows every change. Runs the handlers of pending calls.
   *
   * @example
   * await agent.open(new URLSearchParams(location.search).get('cid')!);
   * @throws {ParleyError} 400 `invalid_request` if the ID is not a UUID, 404 `not_found`
   */
  open(conversationId: string, options?: OpenOptions): Promise<AgentState>;

  /**
   * Adds the next older page at the start of the history. Does nothing if there is no older page.
   *
   * @example
   * while (agent.getState().historyPageInfo?.hasMore) await agent.loadMoreHistory({ limit: 100 });
   * @throws {ParleyError} `invalid_call` if no conversation is open
   */
  loadMoreHistory(options?: LoadMoreOptions): Promise<AgentState>;

  /**
   * The former name of {@link AgentController.loadMoreHistory}.
   *
   * @example
   * await agent.loadMoreMessages();
   */
  loadMoreMessages(options?: LoadMoreOptions): Promise<AgentState>;

  /**
   * Sends the next message of the open conversation. Resolves like {@link AgentController.start}.
   *
   * @example
   * if (agent.getState().runStatus === 'interrupted') await agent.continue();
   * @throws {ParleyError} as {@link AgentController.start}; `invalid_call` if no conversation is open
   */
  continue(options?: ContinueOptions): Promise<AgentState>;

  /**
   * Sets the output of a pending call. When every call of the round has an output, sends them and resolves with the
   * assistant's next reply or call. Before that it resolves at once. A second output replaces one that was not sent or
   * not accepted.
   *
   * @example
   * await agent.resolveTool(call.callId, { answers: [{ id: 'name', value: 'Ann' }] });
   * @throws {ParleyError} `invalid_call` if the output is not an object; 400 `unknown_call_id`, `invalid_tool_result`
   * (with `param`); 409 `action_result_conflict` if another client resolved the round first
   */
  resolveTool(callId: string, output: JsonObject): Promise<AgentState>;

  /**
   * Stops the running or waiting turn on the server, even if another client started it. The service keeps the text so far and cancels
   * pending calls. The run becomes `interrupted` with the `finishReason` `stopped`, which is no error.
   *
   * Resolves with the state after the stop. A pending `start` or `continue` resolves too. Does nothing if no turn is
   * active. {@link AgentController.close} only stops following: the turn continues on the server.
   *
   * @example
   * stopButton.onclick = () => agent.stop();
   * @throws {ParleyError} 401 `unauthorized`, 403 `forbidden`, 404 `not_found`
   */
  stop(): Promise<AgentState>;

  /**
   * Rates a reply of the open conversation, by the ID of its message or history item. The rating replaces an earlier one.
   * The state then contains it.
   *
   * @example
   * await agent.rateMessage(message.id, { rating: 'down', comment: 'The price is wrong.' });
   * @throws {ParleyError} `invalid_call` if no conversation is open; 400 `invalid_request` for the message of a user; 404
   * `not_found`
   */
  rateMessage(messageId: number | string, options: RateMessageOptions): Promise<AgentState>;

  /**
   * Calls the listener with each new state. Returns the function that unsubscribes.
   *
   * @example
   * const unsubscribe = agent.subscribe(({ messages }) => console.log(messages.length));
   */
  subscribe(listener: (state: AgentState) => void): () => void;

  /**
   * Returns the current state. The same object until something changes.
   *
   * @example
   * if (agent.getState().conversationStatus === 'completed') showEnd();
   */
  getState(): AgentState;

  /**
   * Stops requests, polling and handlers of this controller. The turn continues on the server, unless you call
   * {@link AgentController.stop} first. The state keeps its messages. You can call `start` and `open` again.
   *
   * @example
   * addEventListener('pagehide', () => agent.close());
   */
  close(): void;

  /**
   * The same as {@link AgentController.close}.
   *
   * @example
   * agent.abort();
   */
  abort(): void;
}
