import type { AgentOptions, ToolOptions } from './agent-api.ts';
import { withEvent } from './agent-events.ts';
import {
  type AgentState,
  INITIAL_STATE,
  type LocalState,
  withConversation,
  withHistory,
  withItems,
  withPageInfo,
  withRating,
  withStatus,
} from './agent-state.ts';
import type { MessageRating } from './content.ts';
import { invalidCall, isPermanent, type ParleyError } from './error.ts';
import { type HistoryPage, withoutReplaced } from './history.ts';
import type { Settings } from './options.ts';
import { readDownTo } from './read-history.ts';
import { stopTurn } from './stop-turn.ts';
import { firstState, type Store } from './store.ts';
import { POLL_MS, type SynchronizedState, synchronize } from './synchronize.ts';
import { ToolRound } from './tool-round.ts';
import type { TurnEvent } from './turn-feed.ts';

/** `options`, completed with `defaults`. */
function withDefaults(defaults: AgentOptions, options: AgentOptions): AgentOptions {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(defined) };
}

interface SessionOptions {
  /** Called whenever options are used, so that tools may change. */
  defaults(): AgentOptions;
  readonly options: AgentOptions;
  /** Every pending call has an output. */
  onRoundComplete(): void;
}

/** One open conversation, from `start` or `open` until it is replaced or closed. */
export class AgentSession {
  readonly round: ToolRound;
  readonly #settings: Settings;
  readonly #store: Store<AgentState>;
  readonly #sync: Required<{ [Key in 'limit' | 'live' | 'pollIntervalMs']: NonNullable<AgentOptions[Key]> }>;
  readonly #defaults: () => AgentOptions;
  readonly #onRoundComplete: () => void;
  readonly #closing = new AbortController();
  readonly #earlierRuns = new Set<string>();
  #connected: ToolOptions;
  #local: LocalState = { closed: false, loading: false, turns: 0, resumes: 0, error: null };
  /** The conversation cannot be read any more. */
  #isLost = false;
  #isSynchronized = false;
  /** The results of handlers did not reach the service. */
  #hasUnsentResults = false;
  /** How often the active line was reported to have lost items. */
  #line = 0;
  /** The active line changed, and the variants of its messages were not read since. */
  #hasNewVariants = false;

  constructor(settings: Settings, store: Store<AgentState>, { defaults, options, onRoundComplete }: SessionOptions) {
    this.#settings = settings;
    this.#store = store;
    this.#defaults = defaults;
    this.#onRoundComplete = onRoundComplete;
    const { limit = 20, live = true, pollIntervalMs = POLL_MS.default } = withDefaults(defaults(), options);
    if (!(pollIntervalMs >= POLL_MS.min && pollIntervalMs <= POLL_MS.max)) {
      const message = `pollIntervalMs must be between ${POLL_MS.min} and ${POLL_MS.max}. You passed ${pollIntervalMs}.`;
      throw invalidCall(message, 'pollIntervalMs');
    }
    this.#sync = { limit, live, pollIntervalMs };
    this.#connected = options;
    this.round = new ToolRound({
      tools: () => this.tools,
      onComplete: onRoundComplete,
      onFailure: (error) => this.set({ error }),
    });
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get state(): AgentState {
    return this.#store.get();
  }

  get limit(): number {
    return this.#sync.limit;
  }

  get isLive(): boolean {
    return this.#sync.live;
  }

  get tools(): ToolOptions {
    return withDefaults(this.#defaults(), this.#connected);
  }

  /** Replaces the connected tools that these options contain. */
  connect({ clientTools, clientCapabilities }: ToolOptions): void {
    this.#connected = withDefaults(this.#connected, { clientTools, clientCapabilities });
  }

  /** Replaces the state of the previous session. Listeners are notified with the first change. */
  begin(conversationId: string | null): void {
    this.#store.reset({ ...INITIAL_STATE, conversationId });
  }

  set(local: Partial<LocalState>): void {
    this.#local = { ...this.#local, ...local, ...(this.#isLost && { error: this.#local.error }) };
    this.#show(this.state);
  }

  /** Counts the requests in flight. */
  count(kind: 'turns' | 'resumes', by: 1 | -1): void {
    this.set({ [kind]: this.#local[kind] + by, ...(by === 1 && { error: null }) });
  }

  /** Sets the ID of a conversation that the service has created. */
  setConversationId(conversationId: string): void {
    if (this.state.conversationId === null) this.#show({ ...this.state, conversationId });
  }

  /** The results could not be sent. They are sent again with the next sign that the service is reachable. */
  sendLater({ code, status }: ParleyError): void {
    this.#hasUnsentResults = code === 'connection_error' || status === 429 || status >= 500;
  }

  /** Adds a page of older items. */
  prepend({ items, nextCursor }: HistoryPage): void {
    this.#show(withPageInfo(withItems(this.state, items), nextCursor));
  }

  /** Shows the new rating of a message. */
  setRating(messageId: number | string, rating: MessageRating | undefined): void {
    this.#show(withRating(this.state, messageId, rating));
  }

  /** Reads the newest items and follows the conversation from then on. @throws {ParleyError} */
  async refresh(): Promise<void> {
    const { followCursor } = await this.#readPage(this.#sync.live);
    this.#synchronize(followCursor);
  }

  /** Like `refresh`, after a request that succeeded: a failed read must not fail it, and is repeated later. */
  async catchUp(): Promise<void> {
    await this.refresh().catch((error: unknown) => {
      if (isPermanent(error)) this.#lose(error);
      else this.#synchronize(null);
    });
  }

  /** Stops the turn on the server. Resolves after the requests of this session. @throws {ParleyError} */
  async stop(): Promise<void> {
    await stopTurn(this.#settings, this.state.conversationId ?? '', this.signal);
    await firstState(this.#store, () => this.#local.turns + this.#local.resumes === 0 || this.signal.aborted);
    await this.#readPage(true);
  }

  /** Sets the status `closed` and ends the session. */
  close(): void {
    this.set({ closed: true });
    this.end();
  }

  end(): void {
    this.#closing.abort();
    this.round.stop();
  }

  #synchronize(from: string | null): void {
    if (this.#isSynchronized || this.signal.aborted) return;
    this.#isSynchronized = true;
    const { live, pollIntervalMs } = this.#sync;
    const target: SynchronizedState = {
      settings: this.#settings,
      conversationId: this.state.conversationId ?? '',
      signal: this.signal,
      live,
      pollIntervalMs,
      readPage: (withCursor) => this.#readPage(withCursor),
      apply: (event) => this.#apply(event),
      fail: (error) => this.#lose(error),
    };
    void synchronize(target, from);
  }

  #lose(error: ParleyError): void {
    this.#store.reset({ ...this.state, live: null });
    this.set({ error });
    this.#isLost = true;
  }

  async #readPage(live: boolean): Promise<HistoryPage> {
    const { conversationId, history: known } = this.state;
    const options = { conversationId: conversationId ?? '', limit: this.#sync.limit, signal: this.signal };
    const line = this.#line;
    const page = await readDownTo(this.#settings, options, { known, live });
    // The page may have items that left the line while it was read.
    if (line !== this.#line) return this.#readPage(live);
    const kept = withoutReplaced(this.state.history, known, page);
    if (kept !== this.state.history) this.#earlierRuns.clear();
    let state = withItems(withHistory(live ? this.state : { ...this.state, live: null }, kept), page.items);
    if (!state.historyPageInfo) state = withPageInfo(state, page.nextCursor);
    this.#advance(withConversation(state, page.state, this.#earlierRuns));
    return page;
  }

  #apply(event: TurnEvent): void {
    if (event.type === 'ItemsSuperseded') {
      // Another variant brings an earlier run back.
      this.#earlierRuns.clear();
      this.#line += 1;
      this.#hasNewVariants = true;
    }
    this.#advance(withEvent(this.state, event, this.#earlierRuns));
    if (event.type !== 'TurnEnded' || !this.#hasNewVariants) return;
    this.#hasNewVariants = false;
    // Only a page has the variants. Without them the state is complete otherwise.
    this.#readPage(true).catch(() => {});
  }

  #advance(state: AgentState): void {
    if (this.signal.aborted) return;
    const before = this.state;
    if (before.runId !== null && state.runId !== before.runId) this.#earlierRuns.add(before.runId);
    // A pause can be reported after its calls were handled. An error of a handler belongs to it.
    const isPause = state.runStatus === 'waiting_for_client_action';
    const isOther = state.runId !== before.runId || (state.runStatus !== before.runStatus && !isPause);
    // The error belongs to an earlier turn: another client has taken the next one.
    if (isOther && !this.#isLost) this.#local = { ...this.#local, error: null };
    this.#show(state);
    if (!this.#hasUnsentResults) return;
    this.#hasUnsentResults = false;
    this.#onRoundComplete();
  }

  #show(state: AgentState): void {
    if (this.signal.aborted) return;
    this.#store.set(withStatus(state, this.#local));
    this.round.update(this.state);
  }
}
