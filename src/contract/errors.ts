/**
 * Every error a client can meet, by its stable code (SPEC 7, WIRE 3): the HTTP status it is answered with and
 * the family it belongs to. Codes are never renamed or reused.
 */
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
  forbidden: { status: 403, type: 'permission_error' },
  session_required: { status: 403, type: 'permission_error' },
  origin_not_allowed: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  client_action_required: { status: 409, type: 'conflict_error' },
  run_in_progress: { status: 409, type: 'conflict_error' },
  action_result_conflict: { status: 409, type: 'conflict_error' },
  conversation_completed: { status: 409, type: 'conflict_error' },
  run_expired: { status: 409, type: 'conflict_error' },
  trigger_already_used: { status: 409, type: 'conflict_error' },
  request_in_progress: { status: 409, type: 'conflict_error' },
  trigger_expired: { status: 410, type: 'gone_error' },
  precondition_failed: { status: 412, type: 'precondition_failed_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  model_error: { status: 502, type: 'api_error' },
  unavailable: { status: 503, type: 'api_error' },
  model_timeout: { status: 504, type: 'api_error' },
} as const;

/** A stable error code; see {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Steps from a request's input to one of its fields, in the names of the GraphQL schema. */
export type FieldPath = readonly (string | number)[];

/** What an error carries beside its message: the field to blame, and facts that stand beside `message` on the wire. */
export interface ErrorDetails {
  readonly param?: FieldPath;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/**
 * The one error the service throws on purpose. `message` is for people: it says what to do, and never holds a
 * secret, a stack, SQL or a path. `{param}` in it stands for the field, which each door names its own way.
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
