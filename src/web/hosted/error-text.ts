import type { ParleyError } from '../../sdk/index.ts';

/** The model failed in a turn whose message is stored. */
export const RUN_FAILED = 'The assistant could not answer. Your message is saved.';

const TEXTS: Partial<Record<ParleyError['code'], string>> = {
  client_action_required: 'The assistant is waiting for an answer in another window.',
  connection_error: 'The connection was lost.',
  conversation_completed: 'This conversation has ended.',
  forbidden: 'You do not have access.',
  model_error: 'The assistant could not answer.',
  model_timeout: 'The assistant took too long to answer.',
  not_found: 'This conversation no longer exists.',
  origin_not_allowed: 'This assistant is not available on this site.',
  payload_too_large: 'This message is too large.',
  request_in_progress: 'The assistant is still working on this message.',
  run_in_progress: 'The assistant is still working on an earlier message.',
  run_failed: RUN_FAILED,
  trigger_expired: 'This link has expired.',
  trigger_required: 'This assistant needs a link.',
  unauthorized: 'Your session has expired.',
  unavailable: 'The service is not available right now.',
};

/** An error as a sentence for the user of a hosted page. */
export function errorText({ code, message, details }: ParleyError): string {
  if (code === 'connection_error' && !navigator.onLine) return 'You are offline.';
  if (code === 'rate_limited') {
    const { retry_after: seconds } = details;
    const wait = typeof seconds === 'number' ? `${seconds} second${seconds === 1 ? '' : 's'}` : 'a minute';
    return `Too many messages. Wait ${wait}, then try again.`;
  }
  // The service's messages about invalid requests are written for users.
  return TEXTS[code] ?? (code === 'invalid_request' ? message : 'Something went wrong.');
}
