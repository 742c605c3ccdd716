import { asParleyError, isPermanent, ParleyError } from './error.ts';
import { eventsOf } from './event-stream.ts';
import { errorFrom, errorOf } from './http.ts';
import { type ClientOptions, type HeaderSource, readHeaders } from './options.ts';
import { anyOf, backoffMs, pause } from './pause.ts';

/** The service sends the first bytes at once. If they take longer, something between holds the stream back. */
const FIRST_BYTES_MS = 15_000;

/**
 * The service writes a keep-alive comment every 15 s when it has no event to send. A dead connection, for example after
 * sleep, has no end: reading it would wait without limit.
 */
const SILENCE_MS = 45_000;

/** After a connection that lasted for so long, the next one does not wait longer. */
const STABLE_MS = 30_000;

/** Options of {@link followSubscription}. */
export interface SubscriptionOptions<Data> extends Pick<ClientOptions, 'baseUrl' | 'fetch' | 'credentials'> {
  /** Headers of every connection, for example `{ authorization: 'Bearer …' }`, or a function that returns them. */
  readonly headers?: HeaderSource | undefined;
  /** A GraphQL subscription that declares `$after: String` and selects its cursor. */
  readonly query: string;
  /** Its variables, without `after`. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The cursor to start after. Default: start now. */
  readonly after?: string | null | undefined;
  /** Closes the subscription, for example at sign-out. */
  readonly signal: AbortSignal;
  /** Receives each event and returns its cursor. The next connection resumes after that cursor. */
  onEvent(data: Data): string;
  /**
   * Called each time the connection ends: with the error, or without one if the service ended the stream. Throw to stop
   * following; otherwise the subscription reconnects. Default: throw errors with a status from 400 to 499, except 429.
   */
  onDisconnect?(error: ParleyError | undefined): void;
}

/** Server-sent events do not arrive here: a proxy or the platform blocks or buffers them. */
export class StreamUnavailableError extends ParleyError {
  constructor(reason: string) {
    super({ code: 'invalid_response', message: `Server-sent events are not available: ${reason}.` });
  }
}

/**
 * Follows a GraphQL subscription over server-sent events. After a lost connection it reconnects with a growing delay
 * (at most 8 s) and resumes after the last cursor. Resolves when `signal` is aborted.
 *
 * @example
 * await followSubscription<{ workspaceActivity: { cursor: string; counters: { running: number } } }>({
 *   baseUrl: 'https://parley.example.com',
 *   headers: { authorization: `Bearer ${process.env.PARLEY_KEY}` },
 *   query: 'subscription ($after: String) { workspaceActivity(after: $after) { cursor counters { running } } }',
 *   signal: AbortSignal.timeout(60_000),
 *   onEvent: ({ workspaceActivity: { cursor, counters } }) => {
 *     console.log(counters.running);
 *     return cursor;
 *   },
 * });
 * @throws {ParleyError} the error that `onDisconnect` threw; by default 401 `unauthorized`, 403 `forbidden`, and so on
 */
export async function followSubscription<Data>(options: SubscriptionOptions<Data>): Promise<void> {
  const { signal, onEvent, onDisconnect = throwPermanent } = options;
  let after = options.after ?? null;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const begunMs = Date.now();
    const error = await readConnection(options, after, (data) => {
      attempt = 0;
      after = onEvent(data);
    });
    if (signal.aborted) return;
    // The server cannot read its own cursor any more, for example after SECRET_KEY changed.
    if (error?.code === 'invalid_cursor') after = null;
    onDisconnect(error);
    if (Date.now() - begunMs > STABLE_MS) attempt = 0;
    await pause(backoffMs(attempt), signal).catch(() => {});
  }
}

function throwPermanent(error: ParleyError | undefined): void {
  if (isPermanent(error)) throw error;
}

/** Reads one connection to its end. Resolves with the error that ended it; undefined if the service ended it. */
async function readConnection<Data>(
  options: SubscriptionOptions<Data>,
  after: string | null,
  onData: (data: Data) => void,
): Promise<ParleyError | undefined> {
  const silence = new AbortController();
  const { signal, release } = anyOf(options.signal, silence.signal);
  let timer = setTimeout(() => silence.abort(), FIRST_BYTES_MS);
  let hasBegun = false;
  const onBytes = () => {
    hasBegun = true;
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const body = await connect(options, after, signal);
    for await (const { event, data } of eventsOf(body, onBytes, signal)) {
      if (event === 'complete' || options.signal.aborted) return undefined;
      if (event !== 'next') continue;
      if (data.errors || !data.data) throw errorFrom(data, { status: 200, requestId: null });
      onData(data.data as Data);
    }
    throw new TypeError('the event stream ended');
  } catch (error) {
    if (!silence.signal.aborted) return asParleyError(error, urlOf(options));
    if (!hasBegun) return new StreamUnavailableError('nothing arrived');
    return asParleyError(new TypeError(`no data for ${SILENCE_MS / 1_000} s`), urlOf(options));
  } finally {
    clearTimeout(timer);
    release();
  }
}

function urlOf({ baseUrl }: Pick<ClientOptions, 'baseUrl'>): string {
  return `${baseUrl.replace(/\/+$/, '')}/graphql`;
}

/** Opens the event stream. @throws {ParleyError} the rejection, or that the response is no event stream */
async function connect<Data>(
  options: SubscriptionOptions<Data>,
  after: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { headers, credentials, fetch = globalThis.fetch, query, variables } = options;
  const response = await fetch(urlOf(options), {
    method: 'POST',
    headers: { ...(await readHeaders(headers)), accept: 'text/event-stream', 'content-type': 'application/json' },
    credentials: credentials ?? 'same-origin',
    body: JSON.stringify({ query, variables: { ...variables, after } }),
    signal,
  });
  const { body, ok } = response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream');
  if (ok && isStream && body) return body;
  const error = ok ? undefined : await errorOf(response);
  if (ok) body?.cancel().catch(() => {});
  // Parley's own errors have a code. Any other 4xx comes from something between, such as a proxy that blocks streams.
  if (error && (error.code !== 'invalid_response' || error.status >= 500)) throw error;
  throw new StreamUnavailableError('the response is no event stream');
}
