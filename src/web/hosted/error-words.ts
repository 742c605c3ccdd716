import type { ParleyError } from '../../sdk/index.ts';

const WORDS: Partial<Record<ParleyError['code'], string>> = {
  client_action_required: 'The assistant waits for an answer in another window.',
  connection_error: 'The connection was lost.',
  conversation_completed: 'This conversation has ended.',
  forbidden: 'This is not allowed here.',
  model_error: 'The assistant could not answer.',
  model_timeout: 'The assistant took too long to answer.',
  not_found: 'This conversation is not there any more.',
  origin_not_allowed: 'This assistant may not be used on this site.',
  payload_too_large: 'This message is too large.',
  run_in_progress: 'The assistant is still busy with an earlier message of this conversation.',
  trigger_expired: 'This link has expired.',
  trigger_required: 'This assistant is opened from a link.',
  unauthorized: 'This visit is over.',
  unavailable: 'The service is not available right now.',
};

/** What went wrong, as a sentence for whoever is talking to an assistant. */
export function wordsOf({ code, message, details }: ParleyError): string {
  if (code === 'connection_error' && !navigator.onLine) return 'You are offline.';
  if (code === 'rate_limited') {
    const { retry_after: seconds } = details;
    const wait = typeof seconds === 'number' ? `${seconds} second${seconds === 1 ? '' : 's'}` : 'a minute';
    return `Too many messages at once. Wait ${wait}, then try again.`;
  }
  // What the service says of a request is written for people.
  return WORDS[code] ?? (code === 'invalid_request' ? message : 'Something went wrong.');
}
