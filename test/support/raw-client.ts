import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The head of a response, and what came after it. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A connection of a client that keeps no rules. */
export class RawClient {
  readonly socket: Socket;
  /** Bytes that the operating systems of both sides have accepted. */
  accepted = 0;
  isClosed = false;
  #received = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.isClosed = true;
      });
    }
  }

  static async open(url: string, from = '127.0.0.1'): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Sends the start of a request. The body is up to the test. */
  head(method: string, path: string, headers: Readonly<Record<string, string | number>>): this {
    const lines = Object.entries({ Host: 'parley', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return this;
  }

  /** Resolves when the operating system has accepted the bytes, or the connection is closed. */
  send(bytes: Buffer | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) return resolve();
      this.socket.once('close', resolve);
      this.socket.write(bytes, (error) => {
        this.socket.off('close', resolve);
        if (!error) this.accepted += bytes.length;
        resolve();
      });
    });
  }

  chunk(bytes: Buffer | string): Promise<void> {
    const head = Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`);
    return this.send(Buffer.concat([head, Buffer.from(bytes), Buffer.from('\r\n')]));
  }

  /** Sends bytes until the server responds or closes the connection, at most this many. */
  async flood(most: number, write: (piece: Buffer) => Promise<void> = (piece) => this.send(piece)): Promise<void> {
    const piece = Buffer.alloc(64 * 1024, ' ');
    const responded = this.response().catch(() => undefined);
    let isOver = false;
    void responded.then(() => {
      isOver = true;
    });
    for (let sent = 0; sent < most && !isOver && !this.isClosed; sent += piece.length) {
      await Promise.race([write(piece), responded]);
    }
  }

  /** The next response. An interim response counts too. */
  async response(): Promise<RawResponse> {
    while (!this.#received.includes('\r\n\r\n')) {
      if (this.isClosed) throw new Error('The server has closed the connection without a response.');
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'end'), once(this.socket, 'close')]);
    }
    const [head = '', ...rest] = this.#received.split('\r\n\r\n');
    const [line = '', ...fields] = head.split('\r\n');
    const headers = new Map(
      fields.map((field) => {
        const [name = '', ...value] = field.split(': ');
        return [name.toLowerCase(), value.join(': ')] as const;
      }),
    );
    return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
  }

  /** Forgets what has arrived, for the next response of the connection. */
  forget(): void {
    this.#received = '';
  }

  get received(): string {
    return this.#received;
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await Promise.race([once(this.socket, 'end'), once(this.socket, 'close')]);
  }
}
