import type { ErrorCode } from '../contract/errors.ts';

/**
 * What the SDK itself finds wrong, beside the service's own codes: no answer came (`connection_error`), the answer was
 * not one of the service (`invalid_response`), the call was given up (`aborted`), it cannot be made as things stand
 * (`invalid_call`), a client tool's handler threw (`client_tool_failed`), or a run ended badly (`run_failed`,
 * `run_interrupted`, and the service's own `run_expired`).
 */
export type ClientErrorCode =
  | 'connection_error'
  | 'invalid_response'
  | 'aborted'
  | 'invalid_call'
  | 'client_tool_failed'
  | 'run_failed'
  | 'run_interrupted';

/** What a {@link ParleyError} is made of. */
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
 * The one error that the SDK rejects with, and that states carry.
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
  /** The HTTP status; 0 where no answer of the service is behind it. */
  readonly status: number;
  /** Stable; what to branch on. */
  readonly code: ErrorCode | ClientErrorCode;
  /** The family of the code, like `conflict_error`; `client_error` for the SDK's own. */
  readonly type: string;
  /** The field to blame, like `content[0].text`; null where there is none. */
  readonly param: string | null;
  /** What to name when asking the operator of the service; null where no answer came. */
  readonly requestId: string | null;
  /** Facts beside the message, as the wire names them: `call_ids`, `run_id`, `retry_after` in seconds, … */
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

/** Whatever was thrown, as a {@link ParleyError}. */
export function asParleyError(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof Error && error.name === 'AbortError') return abortedError(error);
  const message = error instanceof Error ? error.message : String(error);
  return new ParleyError({
    code: 'connection_error',
    message: `The service could not be reached: ${message}`,
    cause: error,
  });
}

export function abortedError(cause?: unknown): ParleyError {
  return new ParleyError({ code: 'aborted', message: 'The call was given up before it had ended.', cause });
}

export function isAborted(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'aborted';
}
