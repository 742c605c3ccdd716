import type { ErrorCode } from '../contract/errors.ts';
import type { TurnEffect } from './branch-api.ts';

/**
 * Codes of the SDK, in addition to the codes of the service:
 * - `connection_error`: no response arrived, or the stream was cut off.
 * - `invalid_response`: the response does not come from a Parley service.
 * - `timeout`: the request did not finish within the client's `timeout`.
 * - `aborted`: the caller aborted the call.
 * - `invalid_call`: the call is not possible with these arguments or in this state.
 * - `client_tool_failed`: the handler of a client tool threw or returned no object.
 * - `token_failed`, `headers_failed`, `challenge_failed`: the option `getToken`, `headers` or `solveChallenge` threw. `cause`
 *   has its error. The request was not sent, and is not retried.
 * - `run_failed`, `run_interrupted`: how the latest turn ended. An expired one has the service's `run_expired`.
 */
export type ClientErrorCode =
  | 'connection_error'
  | 'invalid_response'
  | 'timeout'
  | 'aborted'
  | 'invalid_call'
  | 'client_tool_failed'
  | 'token_failed'
  | 'headers_failed'
  | 'challenge_failed'
  | 'run_failed'
  | 'run_interrupted';

/** The fields of a new {@link ParleyError}. */
export interface ParleyErrorFields {
  readonly code: ErrorCode | ClientErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly param?: string | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/**
 * The only error that the SDK rejects with and that states contain.
 *
 * @example
 * try {
 *   await client.agent.continue({ content: 'Hello' });
 * } catch (error) {
 *   if (error instanceof ParleyError && error.code === 'conversation_completed') showEnd();
 * }
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** The HTTP status. 0 if the error does not come from a response. */
  readonly status: number;
  /** A stable code. Use it in conditions. */
  readonly code: ErrorCode | ClientErrorCode;
  /** The family of the code, like `conflict_error`. Errors of the SDK have `client_error`. */
  readonly type: string;
  /** The invalid field, like `content[0].text`. Null if the error is not about one field. */
  readonly param: string | null;
  /** Quote this ID when you ask the operator of the service for help. Null without a response. */
  readonly requestId: string | null;
  /** Further fields of the error with their wire names: `call_ids`, `run_id`, `retry_after` in seconds, … */
  readonly details: Readonly<Record<string, unknown>>;
  /** The actions that `turn_has_effects` is about: at most 50. Empty with any other code. */
  readonly effects: readonly TurnEffect[];

  constructor({ code, message, status = 0, type, param, requestId, details, cause }: ParleyErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.type = type ?? 'client_error';
    this.param = param ?? null;
    this.requestId = requestId ?? null;
    this.details = details ?? {};
    const effects = (this.details.effects ?? []) as readonly (Omit<TurnEffect, 'callId'> & { call_id: string })[];
    this.effects = effects.map(({ call_id: callId, name, status }) => ({ callId, name, status }));
  }
}

/** Converts any thrown value to a {@link ParleyError}. An error of a request names its URL. */
export function asParleyError(error: unknown, url = 'the service'): ParleyError {
  if (error instanceof ParleyError) return error;
  if ((error as Error | undefined)?.name === 'AbortError') return abortedError(error);
  const message = `The request to ${url} failed: ${reasonOf(error)}`;
  return new ParleyError({ code: 'connection_error', message: withoutSecrets(message), cause: error });
}

/** Removes queries, which can have a signature, and users and passwords from URLs. Some runtimes quote them in errors. */
function withoutSecrets(message: string): string {
  return message.replace(/(\/\/)[^/\s]*@|\?\S+/g, '$1');
}

/** The messages of an error and its causes. Node says `fetch failed`, and only the cause says why. */
function reasonOf(error: unknown, causes = 3): string {
  const { message, code, cause } = Object(error) as { message?: string; code?: unknown; cause?: unknown };
  const text = `${message || error}${typeof code === 'string' ? ` (${code})` : ''}`;
  if (cause && causes) return `${text}: ${reasonOf(cause, causes - 1)}`;
  // Browsers do not tell scripts why a request failed.
  return error instanceof TypeError && 'document' in globalThis ? `${text} (see the console)` : text;
}

/** Calls a function that the caller passed as an option. @throws {ParleyError} with this code, if the function throws */
export async function callOption<T>(code: ClientErrorCode, param: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new ParleyError({ code, message: `The option ${param} failed: ${reasonOf(cause)}`, param, cause });
  }
}

export function invalidCall(message: string, param?: string): ParleyError {
  return new ParleyError({ code: 'invalid_call', message, param });
}

export function abortedError(cause?: unknown): ParleyError {
  return new ParleyError({ code: 'aborted', message: 'The call was aborted.', cause });
}

export function isAborted(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'aborted';
}

/** Whether a retry cannot succeed: the service rejected the request. */
export function isPermanent(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
