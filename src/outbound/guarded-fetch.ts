import { Agent, fetch, type Response } from 'undici';
import { literalAddressOf } from './address.ts';
import { createGuard, type Guard, type GuardSettings, NOT_PUBLIC } from './guard.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';
import { fetchSession, type SessionBounds, type SessionFetch } from './guarded-session.ts';
import { readLimited } from './read-limited.ts';
import { type BodyStart, readStart } from './read-start.ts';
import { withTimeLimit } from './time-limit.ts';

/** A request, and the limits of its response. */
export interface GuardedRequest {
  /** `GET` by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * How many redirects to follow: 0 by default. With 0, a redirect is returned like any other response. Every target is
   * checked like the first address. Only GET requests are redirected, without their headers if the origin changes.
   */
  readonly redirects?: 0 | 1 | 2 | 3;
  /** The time limit for everything: lookup, connection, redirects, headers and body. */
  readonly timeoutMs: number;
  /** The size limit of the decompressed body. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A response with any status. */
export interface GuardedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A request of whose response only the start is read. */
export interface StartRequest extends Pick<GuardedRequest, 'method' | 'headers' | 'body'> {
  /** The time limit until the status. */
  readonly timeoutMs: number;
  /** Bytes of the decompressed body that are read. */
  readonly maxBytes: number;
  /** The time limit for the start of the body, after the status. */
  readonly bodyTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the status arrives. */
  readonly onStatus: () => void;
}

/** The status and headers of a response, and the start of its body. */
export type GuardedStart = Pick<GuardedResponse, 'status' | 'headers'> & BodyStart;

/** Sends all requests to addresses that users configure. */
export interface GuardedFetcher {
  /**
   * Sends a request to a public address. Checks every address that the name resolves to, and connects only to one of them.
   *
   * @throws {GuardedFetchError} or the reason of the request's own signal
   * @example
   * const { status, body } = await fetcher.fetch(url, { timeoutMs: 10_000, maxBytes: 1024 * 1024 });
   */
  fetch(url: string | URL, request: GuardedRequest): Promise<GuardedResponse>;
  /**
   * Sends a request and reads the start of the response, whatever follows. A redirect is returned like any other response.
   * @throws {GuardedFetchError} if there is no status in time, or the reason of the signal
   */
  fetchStart(url: string, request: StartRequest): Promise<GuardedStart>;
  /**
   * Provides a `fetch` for a library whose protocol needs several requests. It works until `work` ends, allows the same
   * addresses and follows no redirects. The bounds apply to all requests together.
   *
   * @throws {GuardedFetchError}, also with an error of `work` as its cause, or the reason of the signal
   */
  session<T>(bounds: SessionBounds, work: (fetch: SessionFetch) => Promise<T>): Promise<T>;
  /** Checks an address when a user saves it. Every request checks it again. @throws {GuardedFetchError} */
  checkPublicUrl(url: string | URL): Promise<void>;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

const CHECK_MS = 5_000;

const RELEASE_MS = 2_000;

export function createGuardedFetcher(settings: GuardSettings = {}): GuardedFetcher {
  const guard = createGuard(settings);
  // One agent for each request, so destroying it releases everything: sockets, and bodies that are unread or hang.
  const newAgent = (timeoutMs: number) =>
    new Agent({
      // Only releases a socket that never connects. The request has ended before.
      connect: { lookup: guard.lookup, timeout: timeoutMs + RELEASE_MS },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  return {
    fetch: (url, request) =>
      withTimeLimit(request, async (signal) => {
        const agent = newAgent(request.timeoutMs);
        try {
          const response = await sendRequest(guard.parseUrl(url), request, { guard, agent, signal });
          return await readResponse(response, request.maxBytes);
        } finally {
          await agent.destroy();
        }
      }),
    async fetchStart(url, { bodyTimeoutMs, maxBytes, onStatus, ...request }) {
      const agent = newAgent(request.timeoutMs);
      try {
        const response = await withTimeLimit(request, async (signal) =>
          sendRequest(guard.parseUrl(url), request, { guard, agent, signal }),
        );
        onStatus();
        const { status, headers } = response;
        const start = await readStart(response, { maxBytes, timeoutMs: bodyTimeoutMs, signal: request.signal });
        return { status, headers: Object.fromEntries(headers), ...start };
      } finally {
        await agent.destroy();
      }
    },
    session: (bounds, work) => fetchSession(guard, bounds, work),
    checkPublicUrl: async (text) => {
      const url = guard.parseUrl(text);
      if (literalAddressOf(url) !== undefined) return;
      const resolved = withTimeLimit({ timeoutMs: CHECK_MS }, () => guard.resolve(url.hostname));
      // A lookup that takes too long gets the same error as a private address.
      await resolved.catch((cause: unknown) => {
        throw new GuardedFetchError('refused', NOT_PUBLIC, cause);
      });
    },
  };
}

interface Connection {
  readonly guard: Guard;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

type Sent = Pick<GuardedRequest, 'method' | 'headers' | 'body' | 'redirects'>;

async function sendRequest(first: URL, request: Sent, connection: Connection): Promise<Response> {
  const { method = 'GET', body = null, redirects = 0 } = request;
  const { guard, agent: dispatcher, signal } = connection;
  let url = first;
  let headers = request.headers ?? {};
  for (let left = method === 'GET' ? redirects : 0; ; left -= 1) {
    const response = await fetch(url, { method, headers, body, redirect: 'manual', dispatcher, signal });
    const next = method === 'GET' && redirects > 0 ? redirectUrl(url, response, guard) : undefined;
    if (!next) return response;
    await response.body?.cancel();
    if (left === 0) throw new GuardedFetchError('redirect', 'The address redirects too often.');
    // The headers can contain a secret for the first origin.
    if (next.origin !== url.origin) headers = {};
    url = next;
  }
}

function redirectUrl(url: URL, { status, headers }: Response, guard: Guard): URL | undefined {
  const location = headers.get('location');
  if (!REDIRECT_STATUSES.has(status) || location === null) return undefined;
  if (!URL.canParse(location, url)) throw new GuardedFetchError('redirect', 'The address redirects to an invalid URL.');
  return guard.parseUrl(new URL(location, url));
}

async function readResponse(response: Response, maxBytes: number): Promise<GuardedResponse> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readLimited(response, maxBytes),
  };
}
