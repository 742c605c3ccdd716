import type { CookieOptions, Request } from 'express';
import type { Exchange } from '../operation/exchange.ts';

/** An Express request and response as an {@link Exchange}. */
export function exchangeOf(request: Request): Exchange {
  return new ExpressExchange(request);
}

/** A class, because every request creates one: an object with as many functions takes longer to create. */
class ExpressExchange implements Exchange {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  readonly isGraphql: boolean;
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
    this.requestId = String(request.id);
    this.address = request.ip ?? '';
    this.method = request.method;
    this.isGraphql = request.baseUrl === '/graphql';
  }

  get isJson(): boolean {
    return this.#request.is('application/json') === 'application/json';
  }

  header(name: string): string | undefined {
    return this.#request.get(name);
  }

  headerValues(name: string): readonly string[] {
    // `headers` has only the first or the joined value.
    const { rawHeaders } = this.#request;
    const values: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] ?? '';
      if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
    }
    return values;
  }

  setHeader(name: string, value: string): void {
    const { res } = this.#request;
    // A limit that is counted when a stream has begun cannot be reported in its headers.
    if (!res?.headersSent) res?.setHeader(name, value);
  }

  setCookie(name: string, value: string, options: CookieOptions): void {
    this.#request.res?.cookie(name, value, options);
  }

  clearCookie(name: string, options: CookieOptions): void {
    this.#request.res?.clearCookie(name, options);
  }

  onEnd(callback: (size: number) => void): void {
    const { res } = this.#request;
    const end = () => callback(Number(res?.locals.size ?? 0));
    if (!res || res.closed) end();
    else res.once('close', end);
  }
}
