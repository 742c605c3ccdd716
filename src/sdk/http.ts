import { abortedError, asParleyError, ParleyError } from './error.ts';
import type { Settings } from './options.ts';
import { backoffMs, pause } from './pause.ts';

/** Times that a request is sent again. With the pauses between, some 15 s: time for a server to come back. */
const RETRIES = 8;

/** How often a first sending of the same request is asked for, while it is still at work. */
const IN_PROGRESS_MS = 500;

/** A Retry-After that says more is for the caller to wait for. */
const LONGEST_WAIT_MS = 60_000;

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: object | undefined;
  readonly accept?: string | undefined;
  /** A read by POST: it needs no key to be sent again. */
  readonly reads?: boolean | undefined;
  /** Its Idempotency-Key; one of its own where it may be sent again. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request, again where it may: no answer, 429 and 5xx. A POST that changes something carries an
 * Idempotency-Key of its own, so that sending it again does nothing twice; while the first is still at work, its answer
 * is waited for.
 * @throws {ParleyError}
 */
export async function sendJson<Answer>(settings: Settings, request: Request): Promise<Answer> {
  const key = request.key ?? (request.method === 'POST' && !request.reads ? newKey() : undefined);
  for (let attempt = 0; ; ) {
    try {
      return (await readJson(await sendOnce(settings, { ...request, key }))) as Answer;
    } catch (thrown) {
      const error = request.signal?.aborted ? abortedError(thrown) : asParleyError(thrown);
      const wait = waitOf(error, attempt, key);
      await pause(wait, request.signal);
      if (error.code !== 'request_in_progress') attempt += 1;
    }
  }
}

/** One sending, and its answer where that is a success. @throws {ParleyError} */
export async function sendOnce(settings: Settings, request: Request): Promise<Response> {
  const { method, path, query, body, accept = 'application/json', key, signal } = request;
  const response = await settings.fetch(`${settings.baseUrl}${path}${queryOf(query)}`, {
    method,
    credentials: settings.credentials,
    headers: {
      ...settings.headers,
      accept,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

function newKey(): string {
  // crypto.randomUUID is there on secure pages alone; this is everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function queryOf(query: Request['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Of a turn that the model failed in there is nothing to send again: it is stored, and its failure is its answer. */
function mayBeSentAgain({ status, code }: ParleyError): boolean {
  if (code === 'model_error' || code === 'model_timeout' || code === 'aborted') return false;
  return code === 'connection_error' || status === 429 || status >= 500;
}

/** Milliseconds before it is sent again. @throws {ParleyError} the error itself, where it is not */
function waitOf(error: ParleyError, attempt: number, key: string | undefined): number {
  if (error.code === 'request_in_progress' && key) return IN_PROGRESS_MS;
  if (attempt >= RETRIES || !mayBeSentAgain(error)) throw error;
  const seconds = error.details.retry_after;
  const wait = typeof seconds === 'number' ? seconds * 1_000 : backoffMs(attempt);
  if (wait > LONGEST_WAIT_MS) throw error;
  return wait;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  try {
    const body = JSON.parse(text);
    // GraphQL tells of errors in answers that went well.
    if (body?.errors) throw errorFrom(body, { status: response.status, requestId });
    return body;
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    throw new ParleyError({
      code: 'invalid_response',
      message: 'The answer is not JSON: baseUrl may not be the address of a Parley service.',
      status: response.status,
      requestId,
      cause,
    });
  }
}

/** The error that an answer tells of. */
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

/** An error body of REST or of GraphQL, or anything else that came with a bad status. */
export function errorFrom(
  body: unknown,
  from: { readonly status: number; readonly requestId: string | null; readonly details?: object },
): ParleyError {
  const { error, errors, request_id } = (body ?? {}) as {
    error?: WireError;
    errors?: readonly { message: string; extensions?: WireError }[];
    request_id?: string;
  };
  const wire = error ?? (errors?.[0] ? { ...errors[0].extensions, message: errors[0].message } : undefined);
  const { code, message, type, param, status, ...facts } = wire ?? {};
  return new ParleyError({
    code: code ?? (from.status === 429 ? 'rate_limited' : 'invalid_response'),
    message: message ?? `The answer was ${from.status}, and not one of a Parley service.`,
    status: status ?? from.status,
    type: type ?? 'api_error',
    param,
    requestId: request_id ?? from.requestId,
    details: { ...from.details, ...facts },
  });
}
