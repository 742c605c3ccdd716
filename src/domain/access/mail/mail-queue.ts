import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { Log } from '../../telemetry.ts';
import type { MailMessage, MailPort } from './mail-port.ts';

/** Messages that are sent at the same time. */
const CONCURRENT = 2;

/** How long a stopping process waits for the messages that it has accepted. */
const CLOSE_MS = 10_000;

/** Returns the message, or undefined if there is nothing to send. */
type Compose = () => Promise<MailMessage | undefined>;

/** Sends messages in the background, so that they neither delay nor fail a request. A lost message is not repeated. */
export class MailQueue {
  readonly #port: MailPort | undefined;
  readonly #log: Log;
  readonly #waiting: Compose[] = [];
  readonly #running = new Set<Promise<void>>();

  /** @param port Undefined if the operator configured no server. */
  constructor(port: MailPort | undefined, log: Log) {
    this.#port = port;
    this.#log = log;
  }

  /** Whether the service can send messages. */
  get isOn(): boolean {
    return this.#port !== undefined;
  }

  add(compose: Compose): void {
    if (!this.#port) return;
    if (this.#waiting.length >= LIMITS.waitingMails) {
      this.#log.warn({}, 'a message was dropped, because too many wait to be sent');
      return;
    }
    this.#waiting.push(compose);
    this.#next(this.#port);
  }

  async close(): Promise<void> {
    const deadline = pause(CLOSE_MS, undefined, { ref: false });
    await Promise.race([this.#drain(), deadline]);
    this.#port?.close();
  }

  async #drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #next(port: MailPort): void {
    if (this.#running.size >= CONCURRENT) return;
    const compose = this.#waiting.shift();
    if (!compose) return;
    const running = this.#send(port, compose).finally(() => {
      this.#running.delete(running);
      this.#next(port);
    });
    this.#running.add(running);
  }

  async #send(port: MailPort, compose: Compose): Promise<void> {
    try {
      const message = await compose();
      if (message) await port.send(message);
    } catch (error) {
      // Errors of mail servers quote the address.
      const { code, responseCode, command } = error as Readonly<Record<string, unknown>>;
      this.#log.warn({ code, response_code: responseCode, command }, 'a message could not be sent');
    }
  }
}
