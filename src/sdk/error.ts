import type { ErrorCode } from '../contract/errors.ts';

/**
 * Codes of the SDK, in addition to the codes of the service:
 * - `connection_error`: no response arrived, or the stream was cut off.
 * - `invalid_response`: the response does not come from a Parley service.
 * - `timeout`: the request did not finish within the client's `timeout`.
 * - `aborted`: the caller aborted the call.
 * - `invalid_call`: the call is not possible with these arguments or in this state.
 * - `client_tool_failed`: the handler of a client tool threw or returned no object.
 * - `run_failed`, `run_interrupted`: how the latest turn ended. An expired one has the service's `run_expired`.
 */
export type ClientErrorCode =
  | 'connection_error'
  | 'invalid_response'
  | 'timeout'
  | 'aborted'
  | 'invalid_call'
  | 'client_tool_failed'
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

  constructor({ code, message, status = 0, type, param, requestId, details, cause }: ParleyErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.type = type ?? 'client_error';
    this.param = param ?? null;
    this.requestId = requestId ?? null;
    this.details = details ?? {};
  }
}

/** Converts any thrown value to a {@link ParleyError}. */
export function asParleyError(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof Error && error.name === 'AbortError') return abortedError(error);
  const message = error instanceof Error ? error.message : String(error);
  return new ParleyError({
    code: 'connection_error',
    message: `The connection to the service failed: ${message}`,
    cause: error,
  });
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
