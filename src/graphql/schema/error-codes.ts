import { ERROR_CODE_LIST, type ErrorCode } from '../../contract/errors.ts';
import { enumType } from './enum-type.ts';

/** What each error means, in one sentence. */
export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is invalid. The error names the field, if there is one.',
  invalid_json: 'The body is not valid JSON.',
  invalid_cursor: 'The cursor does not belong to this list with these filters.',
  trigger_required: 'The workflow starts only from a trigger.',
  trigger_conversation_mismatch: 'The trigger did not start this conversation.',
  missing_tool_results: 'A pending call has no result in the request.',
  unknown_call_id: 'No call with this ID waits for a result.',
  invalid_tool_result: 'A result does not have the form that its tool requires.',
  idempotency_key_reused: 'An earlier request with this idempotency key was different.',
  unauthorized: 'The credentials are missing, unknown, revoked or expired.',
  budget_reached: 'The next model step could cost more than a budget has left, so the model was not asked.',
  second_factor_required: 'The password was right, and the sign-in needs a second factor.',
  forbidden: 'The credentials do not allow the operation.',
  session_required: 'Only signed-in members can do this.',
  origin_not_allowed: 'The page that sent the request is not allowed.',
  challenge_required: 'The deployment admits callers without credentials only after a challenge.',
  not_found: 'The object does not exist, or the caller cannot see it.',
  file_content_missing: 'The storage has lost the bytes of the file. Uploading the same bytes restores it.',
  method_not_allowed: 'The path does not accept the HTTP method.',
  not_acceptable: 'The service cannot respond in a media type that the client accepts.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body is not JSON in UTF-8.',
  client_action_required: 'The conversation waits for the results of its client tools.',
  run_in_progress: 'A turn of the conversation is running.',
  action_result_conflict: 'Other results were accepted for these calls.',
  conversation_completed: 'The conversation is permanently completed.',
  action_expired: 'The time to answer a pending call is over.',
  run_expired: 'The run that asked for these results has expired.',
  trigger_already_used: 'The trigger has already started a conversation.',
  in_use: 'Other objects depend on the object, so it cannot be deleted or changed.',
  breaking_change: 'The text of the document would break its callers.',
  turn_has_effects:
    'Actions of the turns to replace may have changed something, and the request does not acknowledge it.',
  handling_conflict: 'A person answers in the conversation, it waits for one, or another person has it.',
  message_superseded: 'The message is not in the active line of the conversation any more.',
  fork_too_large: 'The conversation is too large to be copied.',
  request_in_progress:
    'The first request with this idempotency key is still running, or another request sends or checks the same file.',
  trigger_expired: 'The trigger has expired.',
  precondition_failed: 'The object changed after the caller read it.',
  rate_limited: 'The request exceeds a rate limit.',
  internal_error: 'An internal error occurred.',
  model_error: 'The model failed.',
  unavailable: 'The service is shutting down, or its database is unreachable.',
  model_timeout: 'The model exceeded its time limit.',
  insufficient_storage: 'The file storage of the service is full. Uploads fail, everything else works.',
};

export const ErrorCodeEnum = enumType('ErrorCode', ERROR_CODE_LIST, {
  description: 'A stable error code: the `code` of an `Error`, and of the `extensions` of an entry in `errors`.',
  values: ERROR_DESCRIPTIONS,
});
