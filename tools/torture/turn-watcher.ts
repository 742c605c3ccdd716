import type { Client } from '../../test/support/client.ts';
import { type FeedEvent, openTurnFeed } from '../../test/support/turn-feed.ts';
import type { Journal } from './journal.ts';

/** A client that follows one turn from process to process, and appends the text that it gets. */
export class TurnWatcher {
  readonly #journal: Journal;
  readonly #conversationId: string;
  readonly #texts = new Map<string, string>();
  readonly #ids = new Set<string>();
  #cursor: string | undefined;
  #hasStarted = false;
  hasEnded = false;

  constructor(journal: Journal, conversationId: string) {
    this.#journal = journal;
    this.#conversationId = conversationId;
  }

  /**
   * Follows the feed at one process until the turn ends, the process dies, or `over` is aborted, but not longer than
   * `forMs`. The time counts from the response: a watcher that left before would see nothing on a slow machine.
   */
  async watchAt(client: Client, forMs: number, over: AbortSignal): Promise<void> {
    const options = this.#cursor === undefined ? {} : { after: this.#cursor };
    const feed = await openTurnFeed(client, this.#conversationId, { ...options, signal: over }).catch(() => undefined);
    if (feed?.response.status !== 200) return;
    const leave = setTimeout(() => feed.close(), forMs);
    try {
      while (!this.hasEnded) {
        const event = await feed.next();
        // An error, such as a lost database connection, ends the stream. It has no cursor.
        if (!event || event.event === 'error') return;
        this.#receive(event);
      }
    } catch {
      // The process died, or it is time to leave.
    } finally {
      clearTimeout(leave);
      feed.close();
    }
  }

  /** A watcher that saw the start must see the end. */
  check(): void {
    if (!this.#hasStarted) return;
    this.#journal.check('a watcher of a turn sees its end', this.hasEnded, () => this.#describe());
  }

  #receive({ id, event, data }: FeedEvent): void {
    this.#journal.check('a watcher of a turn gets no event twice', !this.#ids.has(id), () => this.#describe());
    this.#ids.add(id);
    this.#cursor = id;
    if (event === 'turn.started') this.#hasStarted = true;
    if (event === 'text.delta') this.#append(data);
    if (event === 'step.restarted') this.#texts.delete(data.message_key);
    if (event === 'item' && data.completes !== null) this.#complete(data.completes, data.item.content[0].text);
    if (event === 'turn.ended') this.#end();
  }

  #append({ message_key: key, offset, text }: FeedEvent['data']): void {
    const before = this.#texts.get(key) ?? '';
    this.#journal.check('text arrives without a gap or a repeat', before.length === offset, () => {
      return `${this.#describe()}: ${offset} after ${before.length}`;
    });
    this.#texts.set(key, before + text);
  }

  #complete(key: string, stored: string): void {
    const shown = this.#texts.get(key);
    this.#journal.check('the text that a watcher appended equals the stored message', shown === stored, () => {
      return `${this.#describe()}: ${shown} instead of ${stored}`;
    });
    this.#texts.delete(key);
  }

  #end(): void {
    this.hasEnded = true;
    this.#journal.check('text without a message is declared void', this.#texts.size === 0, () => this.#describe());
  }

  #describe(): string {
    return `${this.#conversationId} after ${this.#ids.size} events, texts ${JSON.stringify([...this.#texts])}`;
  }
}
