import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';

/**
 * The wire between the `pg` driver and an in-process PGlite: bytes written are run as PostgreSQL protocol, the
 * answer is read back. One driver and one adapter then serve both databases.
 */
class PgliteStream extends Duplex {
  readonly #lite: PGlite;

  constructor(lite: PGlite) {
    super();
    this.#lite = lite;
  }

  connect(): this {
    this.#freshSession().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  /**
   * The pool throws a connection away after an error, but PGlite has one session, which goes on: what the new
   * connection does not know of must not be there.
   */
  async #freshSession(): Promise<void> {
    await this.#lite.exec('ROLLBACK');
    await this.#lite.exec('DEALLOCATE ALL');
  }

  // What `pg` asks of a socket and a pipe has no use for.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#lite
      .runExclusive(() => this.#lite.execProtocolRaw(chunk))
      .then((answer) => {
        if (answer.length > 0) this.push(Buffer.from(answer));
        done();
      }, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}

export function pgliteStream(lite: PGlite): Duplex {
  return new PgliteStream(lite);
}
