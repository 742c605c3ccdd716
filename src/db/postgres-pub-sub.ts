import { EventEmitter } from 'node:events';
import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';
import type { OnError, PubSub } from './pub-sub.ts';

const CHANNEL = 'parley';

/** Topics that are published within this time are sent as one statement. */
const BATCH_MS = 10;

const RECONNECT_MS = 500;

const NOTIFY = { name: 'parley_notify', text: 'SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic' };

/** Publish/subscribe with LISTEN/NOTIFY, over a separate connection. */
export class PostgresPubSub implements PubSub {
  readonly #url: string;
  readonly #onError: OnError;
  readonly #topics = new EventEmitter().setMaxListeners(0);
  readonly #batch = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  static async open(url: string, onError: OnError): Promise<PostgresPubSub> {
    const pubSub = new PostgresPubSub(url, onError);
    await pubSub.#connect();
    return pubSub;
  }

  private constructor(url: string, onError: OnError) {
    this.#url = url;
    this.#onError = onError;
  }

  publish(topic: string): void {
    // Subscribers of this process do not wait for the round trip.
    this.#topics.emit(topic);
    this.#batch.add(topic);
    this.#timer ??= setTimeout(() => void this.#flush(), BATCH_MS);
  }

  subscribe(topic: string, notify: () => void): () => void {
    this.#topics.on(topic, notify);
    return () => this.#topics.off(topic, notify);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#flush();
    await this.#client?.end().catch(() => {});
  }

  async #flush(): Promise<void> {
    this.#timer = undefined;
    const topics = [...this.#batch];
    this.#batch.clear();
    if (topics.length === 0) return;
    await this.#client?.query({ ...NOTIFY, values: [CHANNEL, topics] }).catch(this.#onError);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, ...KEEP_ALIVE });
    const own = client as unknown as { readonly processID: number };
    client.on('notification', ({ payload, processId }) => {
      // `publish` has already notified the subscribers of this process.
      if (processId !== own.processID) this.#topics.emit(payload ?? '');
    });
    client.on('error', this.#onError);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    // Added only now: if the first connection fails, the caller retries. Two retries would run in parallel.
    client.once('end', () => this.#reconnect());
  }

  #reconnect(): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed)
        this.#connect().then(
          () => this.#notifyAll(),
          (error: unknown) => this.#retry(error),
        );
    }, RECONNECT_MS).unref();
  }

  #retry(error: unknown): void {
    this.#onError(error);
    this.#reconnect();
  }

  /** Notifications from the time without a connection are lost, so every subscriber reads again. */
  #notifyAll(): void {
    for (const topic of this.#topics.eventNames()) this.#topics.emit(topic);
  }
}
