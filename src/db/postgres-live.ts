import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Live } from './live.ts';

const CHANNEL = 'parley';

/** Topics published within so many milliseconds go out together, as one statement. */
const GATHER_MS = 10;

const RECONNECT_MS = 500;

/** PostgreSQL's LISTEN/NOTIFY, over a connection of its own. */
export class PostgresLive implements Live {
  readonly #url: string;
  readonly #onFault: (error: unknown) => void;
  readonly #topics = new EventEmitter().setMaxListeners(0);
  readonly #outgoing = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  static async open(url: string, onFault: (error: unknown) => void): Promise<PostgresLive> {
    const live = new PostgresLive(url, onFault);
    await live.#connect();
    return live;
  }

  private constructor(url: string, onFault: (error: unknown) => void) {
    this.#url = url;
    this.#onFault = onFault;
  }

  publish(topic: string): void {
    // This process need not wait for the way round.
    this.#topics.emit(topic);
    this.#outgoing.add(topic);
    this.#timer ??= setTimeout(() => void this.#flush(), GATHER_MS);
  }

  listen(topic: string, wake: () => void): () => void {
    this.#topics.on(topic, wake);
    return () => this.#topics.off(topic, wake);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#flush();
    await this.#client?.end().catch(() => {});
  }

  async #flush(): Promise<void> {
    this.#timer = undefined;
    const topics = [...this.#outgoing];
    this.#outgoing.clear();
    if (topics.length === 0) return;
    await this.#client
      ?.query('SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic', [CHANNEL, topics])
      .catch(this.#onFault);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true });
    const own = client as unknown as { readonly processID: number };
    client.on('notification', ({ payload, processId }) => {
      // What this process publishes it has told itself already.
      if (processId !== own.processID) this.#topics.emit(payload ?? '');
    });
    client.on('error', this.#onFault);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    // Only now: a connection that never came about is tried again by whoever asked for it, and once.
    client.once('end', () => this.#reconnect());
  }

  #reconnect(): void {
    this.#client = undefined;
    if (this.#closed) return;
    setTimeout(() => {
      if (!this.#closed)
        this.#connect().then(
          () => this.#wakeAll(),
          (error: unknown) => this.#failed(error),
        );
    }, RECONNECT_MS).unref();
  }

  #failed(error: unknown): void {
    this.#onFault(error);
    this.#reconnect();
  }

  /** What was published while the connection was away is lost: everybody looks again. */
  #wakeAll(): void {
    for (const topic of this.#topics.eventNames()) this.#topics.emit(topic);
  }
}
