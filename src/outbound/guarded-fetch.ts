import { Agent, fetch, type Response } from 'undici';
import { literalAddressOf } from './address.ts';
import { createGuard, type Guard, type GuardSettings } from './guard.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';
import { fetchSession, type SessionBounds, type SessionFetch } from './guarded-session.ts';
import { inTime } from './in-time.ts';
import { readLimited } from './read-limited.ts';

/** What to ask of an address, and how much of an answer to take. */
export interface GuardedRequest {
  /** `GET` by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * How many redirects to follow, each of them checked as the first address was; 3 at most, and none by default: a
   * redirect is then an answer as any other. Only a GET is followed, and without its headers to another origin.
   */
  readonly redirects?: 0 | 1 | 2 | 3;
  /** For all of it: name, connection, redirects, headers and body. */
  readonly timeoutMs: number;
  /** Bytes of the body, counted after decompression; with 0 it is not read, whatever there is of it. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** What an address answered, whatever its status. */
export interface GuardedAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The one way to addresses that tenants and users write. */
export interface GuardedFetcher {
  /**
   * Asks a public address. Every address that its name resolves to is checked, and the one connected to is one of them.
   *
   * @throws {GuardedFetchError} or the reason of the request's own signal
   * @example
   * const { status, body } = await fetcher.fetch(url, { timeoutMs: 10_000, maxBytes: 1024 * 1024 });
   */
  fetch(url: string | URL, request: GuardedRequest): Promise<GuardedAnswer>;
  /**
   * Lends a `fetch` to a library that speaks a protocol of several requests, for as long as `work` takes: it goes to
   * the same addresses, follows no redirect, and all of it together keeps to the bounds.
   *
   * @throws {GuardedFetchError}, the reason of the signal, or what `work` throws, as the cause of one
   */
  session<T>(bounds: SessionBounds, work: (fetch: SessionFetch) => Promise<T>): Promise<T>;
  /** Says at once, where an address is written down, whether it could be gone to now. @throws {GuardedFetchError} */
  checkPublicUrl(url: string | URL): Promise<void>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const CHECK_MS = 5_000;

const RELEASE_MS = 2_000;

export function createGuardedFetcher(settings: GuardSettings = {}): GuardedFetcher {
  const guard = createGuard(settings);
  return {
    fetch: (url, request) =>
      inTime(request, async (signal) => {
        // One for each request, so that with it everything is released: sockets, a body half read, one that hangs.
        const agent = new Agent({
          // Only to release a socket that never connects: the request itself has ended by then.
          connect: { lookup: guard.lookup, timeout: request.timeoutMs + RELEASE_MS },
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        try {
          return await ask(guard.readUrl(url), request, { guard, agent, signal });
        } finally {
          await agent.destroy();
        }
      }),
    session: (bounds, work) => fetchSession(guard, bounds, work),
    checkPublicUrl: (text) =>
      inTime({ timeoutMs: CHECK_MS }, async () => {
        const url = guard.readUrl(text);
        if (literalAddressOf(url) === undefined) await guard.resolve(url.hostname);
      }),
  };
}

interface Means {
  readonly guard: Guard;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

async function ask(first: URL, request: GuardedRequest, means: Means): Promise<GuardedAnswer> {
  const { method = 'GET', body = null, redirects = 0, maxBytes } = request;
  const { agent: dispatcher, signal } = means;
  let url = first;
  let headers = request.headers ?? {};
  for (let left = method === 'GET' ? redirects : 0; ; left -= 1) {
    const response = await fetch(url, { method, headers, body, redirect: 'manual', dispatcher, signal });
    const next = method === 'GET' && redirects > 0 ? nextUrl(url, response, means.guard) : undefined;
    if (!next) return readAnswer(response, maxBytes);
    await response.body?.cancel();
    if (left === 0) throw new GuardedFetchError('redirect', 'The address redirects too often.');
    // They may hold a secret that is meant for the first address alone.
    if (next.origin !== url.origin) headers = {};
    url = next;
  }
}

function nextUrl(url: URL, { status, headers }: Response, guard: Guard): URL | undefined {
  const location = headers.get('location');
  if (!REDIRECTS.has(status) || location === null) return undefined;
  if (!URL.canParse(location, url)) throw new GuardedFetchError('redirect', 'The address redirects to nowhere.');
  return guard.readUrl(new URL(location, url));
}

async function readAnswer(response: Response, maxBytes: number): Promise<GuardedAnswer> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: maxBytes === 0 ? new Uint8Array() : await readLimited(response, maxBytes),
  };
}
