import type { AgentOptions, ToolOptions } from './agent-api.ts';
import {
  type AgentState,
  INITIAL_STATE,
  type LocalState,
  withConversation,
  withItems,
  withPageInfo,
  withStatus,
} from './agent-state.ts';
import { asParleyError, ParleyError } from './error.ts';
import { isFinal } from './feed.ts';
import type { ConversationState, HistoryItem, HistoryPage } from './history.ts';
import type { Settings } from './options.ts';
import { readDownTo, readFollowedPage, readPage } from './read-history.ts';
import type { Store } from './store.ts';
import { type Synchronized, synchronize } from './synchronize.ts';
import { ToolRound } from './tool-round.ts';

const POLL = { default: 2_000, least: 500, most: 60_000 };

/** Reads the newest page; by REST where GraphQL does not come through. @throws {ParleyError} */
export async function readNewest(
  settings: Settings,
  options: Parameters<typeof readPage>[1],
  live: boolean,
): Promise<HistoryPage> {
  if (!live) return readPage(settings, options);
  try {
    return await readFollowedPage(settings, options);
  } catch (error) {
    const { code, status } = asParleyError(error);
    if (code === 'invalid_response' && status < 500) return readPage(settings, options);
    throw error;
  }
}

/** One opening of one conversation, from `start` or `open` to the next of them or `close`. */
export class AgentSession {
  readonly #settings: Settings;
  readonly #store: Store<AgentState>;
  readonly #options: Required<{ [Key in 'limit' | 'live' | 'pollIntervalMs']: NonNullable<AgentOptions[Key]> }>;
  readonly #end = new AbortController();
  readonly #earlierRuns = new Set<string>();
  readonly round: ToolRound;
  tools: ToolOptions;
  #local: LocalState = { closed: false, loading: false, turns: 0, resumes: 0, error: null };
  /** The conversation cannot be read any more. */
  #lost = false;
  #synchronized = false;
  readonly #onWhole: () => void;
  /** Results of handlers did not reach the service. */
  #unsent = false;

  constructor(settings: Settings, store: Store<AgentState>, options: AgentOptions, onWhole: () => void) {
    this.#settings = settings;
    this.#store = store;
    this.#onWhole = onWhole;
    const { limit = 20, live = true, pollIntervalMs = POLL.default, clientTools, clientCapabilities } = options;
    if (!(pollIntervalMs >= POLL.least && pollIntervalMs <= POLL.most)) {
      const message = `pollIntervalMs must be ${POLL.least} to ${POLL.most}.`;
      throw new ParleyError({ code: 'invalid_call', message, param: 'pollIntervalMs' });
    }
    this.#options = { limit, live, pollIntervalMs };
    this.tools = { clientTools, clientCapabilities };
    this.round = new ToolRound({ tools: () => this.tools, onWhole, onFailure: (error) => this.set({ error }) });
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get state(): AgentState {
    return this.#store.get();
  }

  get limit(): number {
    return this.#options.limit;
  }

  /** Takes the place of what was shown before, once it does anything. */
  begin(conversationId: string | null): void {
    this.#store.reset({ ...INITIAL_STATE, conversationId });
  }

  /** What the controller knows beside the service's word. */
  set(local: Partial<LocalState>): void {
    this.#local = { ...this.#local, ...local, ...(this.#lost && { error: this.#local.error }) };
    this.#show(this.state);
  }

  count(what: 'turns' | 'resumes', by: 1 | -1): void {
    this.set({ [what]: this.#local[what] + by, ...(by === 1 && { error: null }) });
  }

  /** The conversation has come to be. */
  name(conversationId: string): void {
    if (this.state.conversationId === null) this.#show({ ...this.state, conversationId });
  }

  /** Results of handlers could not be sent: they are, as soon as the service tells anything again. */
  sendLater({ code, status }: ParleyError): void {
    this.#unsent = code === 'connection_error' || status === 429 || status >= 500;
  }

  /** Older items, and where still older ones begin. */
  prepend({ items, nextCursor }: HistoryPage): void {
    this.#show(withPageInfo(withItems(this.state, items), nextCursor));
  }

  /** Reads what is new, and keeps it in step from then on. @throws {ParleyError} */
  async refresh(): Promise<void> {
    const { followCursor } = await this.#paint(this.#options.live);
    this.#synchronize(followCursor);
  }

  /** The same, after an answer that stands whatever becomes of this: what cannot be read now is read later. */
  async catchUp(): Promise<void> {
    await this.refresh().catch((error: unknown) => {
      if (isFinal(error)) this.#lose(error);
      else this.#synchronize(null);
    });
  }

  /** Says that it is closed, and ends. */
  close(): void {
    this.set({ closed: true });
    this.end();
  }

  end(): void {
    this.#end.abort();
    this.round.stop();
  }

  #synchronize(from: string | null): void {
    if (this.#synchronized || this.signal.aborted) return;
    this.#synchronized = true;
    const { live, pollIntervalMs } = this.#options;
    const target: Synchronized = {
      settings: this.#settings,
      conversationId: this.state.conversationId ?? '',
      signal: this.signal,
      live,
      pollIntervalMs,
      paint: (withPlace) => this.#paint(withPlace),
      apply: ({ items, state }) => this.#apply(items, state),
      fail: (error) => this.#lose(error),
    };
    void synchronize(target, from);
  }

  #lose(error: ParleyError): void {
    this.set({ error });
    this.#lost = true;
  }

  async #paint(live: boolean): Promise<HistoryPage> {
    const { conversationId, history } = this.state;
    const known = history.at(-1)?.id;
    const options = { conversationId: conversationId ?? '', limit: this.#options.limit, signal: this.signal };
    const newest = await readNewest(this.#settings, options, live);
    const page = await readDownTo(this.#settings, { ...options, page: newest, known });
    this.#apply(page.items, page.state, page);
    return page;
  }

  #apply(items: readonly HistoryItem[], told: ConversationState, first?: HistoryPage): void {
    if (this.signal.aborted) return;
    const before = this.state;
    let state = withItems(before, items);
    if (first && !before.historyPageInfo) state = withPageInfo(state, first.nextCursor);
    state = withConversation(state, told, this.#earlierRuns);
    if (before.runId !== null && state.runId !== before.runId) this.#earlierRuns.add(before.runId);
    const hasMoved = state.runId !== before.runId || state.runStatus !== before.runStatus;
    // A fault of the turn before this one, as another tab has taken it.
    if (hasMoved && !this.#lost) this.#local = { ...this.#local, error: null };
    this.#show(state);
    if (!this.#unsent) return;
    this.#unsent = false;
    this.#onWhole();
  }

  #show(state: AgentState): void {
    if (this.signal.aborted) return;
    this.#store.set(withStatus(state, this.#local));
    this.round.update(this.state);
  }
}
