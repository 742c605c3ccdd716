import { snakeCase } from '../contract/snake-case.ts';
import { abortedError, asParleyError, ParleyError, type ParleyErrorFields } from './error.ts';
import type { Settings } from './options.ts';
import { anyOf, backoffMs, pause } from './pause.ts';
import { camelCase } from './wire.ts';

/** Milliseconds between checks whether the first request with the same Idempotency-Key has finished. */
const IN_PROGRESS_MS = 500;

/** A longer Retry-After is left to the caller. */
const MAX_WAIT_MS = 60_000;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: object | undefined;
  readonly accept?: string | undefined;
  /** A POST that can be retried without a key: it only reads, or a repetition changes nothing. */
  readonly isRepeatable?: boolean | undefined;
  /** The Idempotency-Key. Default: a new one, if the request needs one to be retried. */
  readonly key?: string | undefined;
  /** Does not wait for the outcome of a turn. */
  readonly prefer?: 'respond-async' | undefined;
  /** An error that a successful response stands for. */
  readonly problemOf?: ((body: unknown) => ParleyErrorFields | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request and retries it after a connection error, 429 and 5xx. A POST that changes something has an
 * Idempotency-Key, so that a retry does not repeat the change. If the first request is still running, waits for it.
 * @throws {ParleyError}
 */
export async function sendJson<Result>(settings: Settings, request: Request): Promise<Result> {
  const { timeout } = settings;
  if (timeout === undefined) return sendWithRetries(settings, request);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout);
  const { signal, release } = anyOf(request.signal, late.signal);
  try {
    return await sendWithRetries(settings, { ...request, signal });
  } catch (cause) {
    if (!late.signal.aborted || request.signal?.aborted) throw cause;
    const message = `The request did not finish within ${timeout} ms. A turn continues on the server.`;
    throw new ParleyError({ code: 'timeout', message, cause });
  } finally {
    clearTimeout(timer);
    release();
  }
}

async function sendWithRetries<Result>(settings: Settings, request: Request): Promise<Result> {
  const key = request.key ?? (request.method === 'POST' && !request.isRepeatable ? newKey() : undefined);
  for (let attempt = 0; ; ) {
    try {
      const response = await sendOnce(settings, { ...request, key });
      const body = await readJson(response);
      const error = request.problemOf?.(body);
      if (error) throw new ParleyError({ ...error, requestId: response.headers.get('x-request-id') });
      return body as Result;
    } catch (thrown) {
      const error = request.signal?.aborted ? abortedError(thrown) : asParleyError(thrown, urlOf(settings, request));
      const waitMs = retryDelayMs(error, attempt, key, settings.maxRetries);
      await pause(waitMs, request.signal);
      if (error.code !== 'request_in_progress') attempt += 1;
    }
  }
}

/**
 * Sends a request once, and again with the solution if the deployment demands a challenge.
 * @throws {ParleyError} unless the response has a 2xx status
 */
export async function sendOnce(settings: Settings, request: Request, isSolved = false): Promise<Response> {
  const response = await send(settings, request);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (isSolved || !(await settings.challenges.solve(error, request.signal))) throw error;
  return sendOnce(settings, request, true);
}

/** The path of a conversation, or below it. */
export function conversationPath(...segments: readonly (string | number)[]): string {
  return `/v1/runner/conversation/${segments.map(encodeURIComponent).join('/')}`;
}

/** The URL of a request, without its query. */
export function urlOf({ baseUrl }: Settings, { path }: Request): string {
  return baseUrl + path;
}

async function send(settings: Settings, request: Request): Promise<Response> {
  const { method, query, body, accept = 'application/json', key, prefer, signal } = request;
  const response = await settings.fetch(`${urlOf(settings, request)}${queryString(query)}`, {
    method,
    credentials: settings.credentials,
    headers: {
      // Other requests would need a preflight because of it.
      ...(method === 'POST' && settings.challenges.headers()),
      ...(await settings.headers()),
      accept,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
      ...(prefer && { prefer }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  settings.challenges.remember(response);
  return response;
}

export function newKey(): string {
  // crypto.randomUUID exists on https pages only; getRandomValues exists everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function queryString(query: Request['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

const NOT_RETRIED = new Set<string>(['model_error', 'model_timeout', 'insufficient_storage', 'aborted']);

/** A turn whose model failed is not retried: it is stored, and the failure is its result. A full storage stays full. */
function isRetryable({ status, code }: ParleyError): boolean {
  if (NOT_RETRIED.has(code)) return false;
  return code === 'connection_error' || status === 429 || status >= 500;
}

/** Milliseconds until the retry. @throws {ParleyError} the error itself if the request is not retried */
function retryDelayMs(error: ParleyError, attempt: number, key: string | undefined, maxRetries: number): number {
  if (error.code === 'request_in_progress' && key) return IN_PROGRESS_MS;
  if (attempt >= maxRetries || !isRetryable(error)) throw error;
  const seconds = error.details.retry_after;
  const waitMs = typeof seconds === 'number' ? seconds * 1_000 : backoffMs(attempt);
  if (waitMs > MAX_WAIT_MS) throw error;
  return waitMs;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  try {
    const body = JSON.parse(text);
    // GraphQL reports errors with status 200.
    if (body?.errors) throw errorFrom(body, { status: response.status, requestId });
    return body;
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    throw new ParleyError({
      code: 'invalid_response',
      message: 'The response is not JSON. Check that baseUrl is the URL of a Parley service.',
      status: response.status,
      requestId,
      cause,
    });
  }
}

/** The error in a response with a status other than 2xx. */
export async function errorOf(response: Response): Promise<ParleyError> {
  const body = await response.json().catch(() => undefined);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return errorFrom(body, {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    details: Number.isFinite(retryAfter) ? { retry_after: retryAfter } : {},
  });
}

interface WireError extends Record<string, unknown> {
  readonly code?: ParleyError['code'];
  readonly message?: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly status?: number;
}

/** The error in a body of the REST or the GraphQL API, or a general error if the body is neither. */
export function errorFrom(
  body: unknown,
  from: { readonly status: number; readonly requestId: string | null; readonly details?: object },
): ParleyError {
  const { error, errors, request_id } = (body ?? {}) as {
    error?: WireError;
    errors?: readonly { message: string; extensions?: Readonly<Record<string, unknown>> }[];
    request_id?: string;
  };
  const wire = error ?? (errors?.[0] && fromExtensions(errors[0].message, errors[0].extensions));
  const { code, message, type, param, status, ...details } = wire ?? {};
  return new ParleyError({
    code: code ?? (from.status === 429 ? 'rate_limited' : 'invalid_response'),
    message: message ?? `The response with status ${from.status} is not from a Parley service. Check baseUrl.`,
    status: status ?? from.status,
    type: type ?? 'api_error',
    param: param && optionName(param),
    requestId: request_id ?? from.requestId,
    details: { ...from.details, ...details },
  });
}

/** Errors of the GraphQL API have codes in upper case and keys in camel case. */
function fromExtensions(message: string, extensions: Readonly<Record<string, unknown>> = {}): WireError {
  const { code, requestId: _id, retryAfterMs, ...facts } = extensions;
  const entries = Object.entries(facts).map(([name, value]) => [snakeCase(name), value]);
  return {
    message,
    ...Object.fromEntries(entries),
    ...(typeof code === 'string' && { code: code.toLowerCase() as ParleyError['code'] }),
    ...(typeof retryAfterMs === 'number' && { retry_after: retryAfterMs / 1_000 }),
  };
}

/**
 * `conversation_id` of the REST API is `conversationId` in the SDK, and so is `id` of the GraphQL API's only look-up. Paths
 * into values, like `meta.my_key`, stay.
 */
function optionName(param: string): string {
  if (param === 'id') return 'conversationId';
  return /[^a-z_]/.test(param) ? param : camelCase(param);
}
