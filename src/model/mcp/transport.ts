import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** A result of both methods in both revisions. */
const VALID = { tools: [], content: [], ttlMs: 0, cacheScope: 'private' } as const;

/** The client answers each request of a server, such as a ping, with a request of its own. The service needs no such requests. */
const MOST_ANSWERS = 10;

const isAnswer = (message: JSONRPCMessage | JSONRPCMessage[]): boolean =>
  !Array.isArray(message) && (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message));

/**
 * Takes the results of tools out of the messages before the client validates them: it would reject a list because of one
 * odd tool, and a result because of one odd part.
 */
export class TolerantTransport extends StreamableHTTPClientTransport {
  #isTaking = false;
  #requestId: number | undefined;
  #hasResponse = false;
  #result: unknown;
  #failRequest: (() => void) | undefined;
  #notified: Promise<unknown> = Promise.resolve();
  #answers = 0;
  #rounds = 0;

  constructor(url: URL, options: StreamableHTTPClientTransportOptions) {
    super(url, options);
    // The client calls this handler before its own.
    this.onmessage = (message: JSONRPCMessage) => this.#take(message);
  }

  /** Sends one request with `send`. Returns its result as the server sent it. Fails if the stream of the response ends. */
  async rawResult(send: () => Promise<unknown>): Promise<unknown> {
    const ended = new Promise<never>((_, reject) => {
      this.#failRequest = () => reject(new Error('The stream of the response ended.'));
    });
    this.#isTaking = true;
    this.#requestId = undefined;
    this.#rounds = 0;
    try {
      await Promise.race([send(), ended]);
      return this.#result;
    } finally {
      this.#isTaking = false;
      this.#result = undefined;
    }
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (isAnswer(message)) {
      this.#answers += 1;
      if (this.#answers > MOST_ANSWERS) return Promise.resolve();
    }
    if (Array.isArray(message) || !isJSONRPCRequest(message)) {
      const sent = super.send(message, options);
      this.#notified = sent.catch(() => {});
      return sent;
    }
    if (!this.#isTaking) return super.send(message, options);
    const id = Number(message.id);
    this.#requestId = id;
    this.#rounds += 1;
    this.#hasResponse = false;
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        // The stream of an earlier request can end later.
        if (this.#requestId === id && !this.#hasResponse) this.#failRequest?.();
      },
    });
  }

  /** Whether the server has responded to a call and asked to send it again with its state. It can have done a part of it. */
  get hasBegun(): boolean {
    return this.#rounds > 1;
  }

  /** Resolves when the last notification has arrived, for example that of a cancellation. */
  async notified(): Promise<void> {
    await this.#notified;
  }

  #take(message: JSONRPCMessage): void {
    if (!this.#isTaking) return;
    const isResult = isJSONRPCResultResponse(message);
    if (!(isResult || isJSONRPCErrorResponse(message)) || Number(message.id) !== this.#requestId) return;
    this.#hasResponse = true;
    if (!isResult) return;
    const { resultType = 'complete' } = message.result;
    this.#result = message.result;
    // The client handles results that are not complete.
    if (resultType === 'complete' || resultType === null) message.result = { ...VALID, resultType: 'complete' };
  }
}
