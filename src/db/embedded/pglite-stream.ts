import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';

/**
 * Connects the `pg` driver to an in-process PGlite. Written bytes run as PostgreSQL protocol messages, and the responses
 * are read back. So the same driver and adapter work for both databases.
 */
class PgliteStream extends Duplex {
  readonly #lite: PGlite;

  constructor(lite: PGlite) {
    super();
    this.#lite = lite;
  }

  connect(): this {
    this.#resetSession().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  /**
   * After an error the pool opens a new connection, but PGlite continues with the same session. The state of the old
   * connection must not leak into the new one.
   */
  async #resetSession(): Promise<void> {
    await this.#lite.exec('ROLLBACK');
    await this.#lite.exec('DEALLOCATE ALL');
  }

  // `pg` calls these socket methods.
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
      .then((response) => {
        if (response.length > 0) this.push(Buffer.from(response));
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
