/** Every error code with its HTTP status and error type. Codes are never renamed or reused. */
export const ERROR_CODES = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_cursor: { status: 400, type: 'invalid_request_error' },
  trigger_required: { status: 400, type: 'invalid_request_error' },
  trigger_conversation_mismatch: { status: 400, type: 'invalid_request_error' },
  missing_tool_results: { status: 400, type: 'invalid_request_error' },
  unknown_call_id: { status: 400, type: 'invalid_request_error' },
  invalid_tool_result: { status: 400, type: 'invalid_request_error' },
  idempotency_key_reused: { status: 400, type: 'invalid_request_error' },
  unauthorized: { status: 401, type: 'authentication_error' },
  second_factor_required: { status: 401, type: 'authentication_error' },
  budget_reached: { status: 402, type: 'budget_error' },
  forbidden: { status: 403, type: 'permission_error' },
  session_required: { status: 403, type: 'permission_error' },
  origin_not_allowed: { status: 403, type: 'permission_error' },
  challenge_required: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  file_content_missing: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  not_acceptable: { status: 406, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  client_action_required: { status: 409, type: 'conflict_error' },
  run_in_progress: { status: 409, type: 'conflict_error' },
  action_result_conflict: { status: 409, type: 'conflict_error' },
  conversation_completed: { status: 409, type: 'conflict_error' },
  run_expired: { status: 409, type: 'conflict_error' },
  action_expired: { status: 409, type: 'conflict_error' },
  trigger_already_used: { status: 409, type: 'conflict_error' },
  in_use: { status: 409, type: 'conflict_error' },
  breaking_change: { status: 409, type: 'conflict_error' },
  turn_has_effects: { status: 409, type: 'conflict_error' },
  handling_conflict: { status: 409, type: 'conflict_error' },
  message_superseded: { status: 409, type: 'conflict_error' },
  fork_too_large: { status: 409, type: 'conflict_error' },
  request_in_progress: { status: 409, type: 'conflict_error' },
  trigger_expired: { status: 410, type: 'gone_error' },
  precondition_failed: { status: 412, type: 'precondition_failed_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  model_error: { status: 502, type: 'api_error' },
  unavailable: { status: 503, type: 'api_error' },
  model_timeout: { status: 504, type: 'api_error' },
  insufficient_storage: { status: 507, type: 'api_error' },
} as const;

/** When a client can try again after `unavailable`, in milliseconds. */
export const UNAVAILABLE_MS = 2_000;

/** A stable error code, such as `not_found`. */
export type ErrorCode = keyof typeof ERROR_CODES;

export const ERROR_CODE_LIST = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** The path from a request's input to one of its fields, in GraphQL names. */
export type FieldPath = readonly (string | number)[];

/** An invalid field of an input. */
export interface InputIssue {
  readonly path: FieldPath;
  /** With `{param}` in place of the field's name. */
  readonly message: string;
}

/** The invalid field, and extra facts that the response carries next to `message`. */
export interface ErrorDetails {
  readonly param?: FieldPath;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** All invalid fields. `param` and `message` are about the first one. */
  readonly issues?: readonly InputIssue[];
  /** Whether a model that failed can succeed later. GraphQL alone returns it. */
  readonly failure?: { readonly isRetryable: boolean; readonly retryAfterMs?: number | undefined };
  /** Milliseconds until a retry can succeed. */
  readonly retryAfterMs?: number;
  /** The object whose precondition failed, as it is now, and the name of its GraphQL type. */
  readonly current?: { readonly type: 'Document' | 'Resource' | 'Workflow'; readonly value: object };
}

/**
 * The only error that the service throws on purpose. `message` says what to do. It never contains a secret, a stack,
 * SQL or a file path. Each transport replaces `{param}` in it with its own name of the field.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.details = details;
  }
}

/** A field path as text: `content[0].text`. */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
