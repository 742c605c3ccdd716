import type { AgentState } from './agent-state.ts';
import type { ContentInput } from './content.ts';
import type { JsonObject } from './history.ts';

/** What a handler knows beside its arguments. */
export interface ClientToolCall {
  /** Unique in the conversation: what makes a side effect happen once, also from two tabs. */
  readonly callId: string;
  /** Of the tool. */
  readonly name: string;
  /** Where the assistant asks. */
  readonly conversationId: string;
  /** Aborted when the call is resolved elsewhere, or the conversation is closed here. */
  readonly signal: AbortSignal;
}

/**
 * Runs a client tool; what it answers is the tool's output. Called by itself, once for each call. Where it throws, the
 * call goes on waiting, for {@link AgentController.resolveTool}, and the state tells `client_tool_failed`.
 *
 * @example
 * const lookup_customer: ClientToolHandler = async ({ customer_id }, { signal }) =>
 *   (await fetch(`/customers/${customer_id}`, { signal })).json();
 */
export type ClientToolHandler = (args: JsonObject, call: ClientToolCall) => JsonObject | Promise<JsonObject>;

/** A handler; with a JSON Schema of its arguments for a tool that the deployment does not know. */
export type ClientTool = ClientToolHandler | { readonly inputSchema: JsonObject; readonly handler: ClientToolHandler };

/** A tool that is connected without a handler: by name, or with a JSON Schema of its arguments. */
export type ClientCapability = string | { readonly name: string; readonly inputSchema: JsonObject };

/** What is connected; kept until it is given anew or another conversation is opened. */
export interface ToolOptions {
  /** Tools that run by themselves, by name. They are advertised to the assistant. */
  readonly clientTools?: Readonly<Record<string, ClientTool>> | undefined;
  /** Tools that wait for {@link AgentController.resolveTool}, as `ask_user` for a form. */
  readonly clientCapabilities?: readonly ClientCapability[] | undefined;
}

/** How a conversation is read. */
export interface SyncOptions {
  /** Items of a page, 1 to 100. Default 20. */
  readonly limit?: number | undefined;
  /** False: never by server-sent events. Default true, polling where they do not come through. */
  readonly live?: boolean | undefined;
  /** Milliseconds between polls, 500 to 60,000. Default 2,000. */
  readonly pollIntervalMs?: number | undefined;
}

/** What a controller begins with. */
export interface AgentOptions extends ToolOptions, SyncOptions {}

interface TurnOptions extends ToolOptions {
  /** Pairs of earlier messages that the model is given, 0 to 100. Default 5. */
  readonly historyLimit?: number | undefined;
  /** Gives up waiting for the answer; the service goes on with the turn. */
  readonly signal?: AbortSignal | undefined;
  /**
   * 1 to 255 visible ASCII characters of your making. The same turn under the same key, as by a page that was loaded
   * again before its answer came, is not taken twice: its answer is waited for. Default: a new one.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A new turn, of a new conversation or of one that there is. */
export interface StartOptions extends TurnOptions, SyncOptions {
  /** What the user says; may be left out where a trigger says it. */
  readonly content?: ContentInput | undefined;
  /** A prepared first message, see `client.trigger`. */
  readonly triggerId?: string | undefined;
  /** Goes on in this conversation. */
  readonly conversationId?: string | undefined;
  /** For the deployment's instructions; of a new conversation alone. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Labels to find it by; of a new conversation alone. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Another turn. */
export interface ContinueOptions extends TurnOptions {
  /** What the user says. Default `Continue.`, which goes on after an interruption. */
  readonly content?: ContentInput | undefined;
}

/** A single reading. */
export interface GetOptions {
  /** Items, 1 to 100. Default 20. */
  readonly limit?: number | undefined;
  /** Gives up. */
  readonly signal?: AbortSignal | undefined;
}

/** Opening a conversation. */
export interface OpenOptions extends ToolOptions, SyncOptions {}

/** A page of what is older. */
export interface LoadMoreOptions {
  /** Items, 1 to 100. Default: as it was opened. */
  readonly limit?: number | undefined;
}

/**
 * One open agent conversation and its state. `client.agent` is one; `client.createAgent()` makes others, for pages that
 * show several.
 *
 * All methods reject with a {@link ParleyError}. On a 409 the state has been read anew before: another tab was first.
 *
 * @example
 * const agent = client.agent;
 * agent.subscribe((state) => render(state));
 * await agent.start({ content: 'Hello', clientCapabilities: ['ask_user'] });
 */
export interface AgentController {
  /**
   * Takes a turn and keeps the state in step from then on. Resolves when the assistant has answered, or waits for
   * tools. Without `conversationId` it begins a new conversation, in place of the one that was open.
   *
   * @example
   * const { conversationId, status } = await agent.start({ content: 'Where is my order?', meta: { shop: 'north' } });
   * @throws {ParleyError} 409 `run_in_progress`, `client_action_required`, `conversation_completed`,
   * `trigger_already_used`; 410 `trigger_expired`; 502 `model_error`; any other of the service
   */
  start(options?: StartOptions): Promise<AgentState>;

  /**
   * Reads a conversation once, as a state of its own: nothing is opened, polled or run.
   *
   * @example
   * const { status, pendingToolCalls } = await agent.get(conversationId);
   * @throws {ParleyError} 404 `not_found`
   */
  get(conversationId: string, options?: GetOptions): Promise<AgentState>;

  /**
   * Opens a conversation: its newest page, and then every change. Pending calls that have a handler are run.
   *
   * @example
   * await agent.open(new URLSearchParams(location.search).get('cid')!);
   * @throws {ParleyError} 404 `not_found`
   */
  open(conversationId: string, options?: OpenOptions): Promise<AgentState>;

  /**
   * Puts the next older page in front; nothing happens where there is none.
   *
   * @example
   * while (agent.getState().historyPageInfo?.hasMore) await agent.loadMoreHistory({ limit: 100 });
   */
  loadMoreHistory(options?: LoadMoreOptions): Promise<AgentState>;

  /**
   * The same as {@link AgentController.loadMoreHistory}, under its former name.
   *
   * @example
   * await agent.loadMoreMessages();
   */
  loadMoreMessages(options?: LoadMoreOptions): Promise<AgentState>;

  /**
   * Takes another turn of the open conversation.
   *
   * @example
   * if (agent.getState().runStatus === 'interrupted') await agent.continue();
   * @throws {ParleyError} as {@link AgentController.start}; `invalid_call` where none is open
   */
  continue(options?: ContinueOptions): Promise<AgentState>;

  /**
   * Gives a pending call its output. As soon as every call of the round has one they are sent, and it resolves when
   * the assistant has answered; before that it resolves at once. Giving it again replaces what was not accepted.
   *
   * @example
   * await agent.resolveTool(call.callId, { answers: [{ id: 'name', value: 'Ann' }] });
   * @throws {ParleyError} 400 `unknown_call_id`, `invalid_tool_result` (with `param`); 409 `action_result_conflict`
   * where other results were first
   */
  resolveTool(callId: string, output: JsonObject): Promise<AgentState>;

  /**
   * Calls the listener with each new state. Answers how to stop.
   *
   * @example
   * const stop = agent.subscribe(({ messages }) => console.log(messages.length));
   */
  subscribe(listener: (state: AgentState) => void): () => void;

  /**
   * The state as it is now. The same object until something changes.
   *
   * @example
   * if (agent.getState().conversationStatus === 'completed') showEnd();
   */
  getState(): AgentState;

  /**
   * Stops polling, handlers and requests of this controller; a turn goes on at the service. What is known stays in the
   * state. `start` and `open` may be called again.
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
