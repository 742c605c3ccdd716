import { pluralsOf } from '../plurals.ts';

const plural = pluralsOf('en');
export const seconds = (count: number) => plural(count, { one: '1 second', other: `${count} seconds` });

/** The texts about errors. The object is a part of the catalogue of its language. */
export const failures = {
  missing: {
    notFound: 'Page not found',
    notFoundAdvice: 'The link may be out of date, or this assistant is turned off.',
    limited: 'Too many requests',
    limitedAdvice: 'Wait a minute, then reload this page.',
    unavailable: 'Service not available',
    unavailableAdvice: 'Reload this page in a moment.',
    otherAdvice: 'Reload this page in a moment.',
  },
  errors: {
    budget_reached: 'The assistant is pausing. Try again later.',
    client_action_required: 'The assistant is waiting for an answer in another window.',
    connection_error: 'The connection was lost.',
    conversation_completed: 'This conversation has ended.',
    forbidden: 'You do not have access.',
    fork_too_large: 'This conversation is too long to copy. Choose an earlier reply.',
    message_superseded: 'This message was replaced in another window.',
    model_error: 'The assistant could not answer.',
    model_timeout: 'The assistant took too long to answer.',
    not_found: 'This conversation is no longer available.',
    origin_not_allowed: 'This assistant is not available on this site.',
    challenge_required: 'The assistant could not check that you are not a robot. Reload the page.',
    other: 'Something went wrong.',
    payload_too_large: 'This message is too large.',
    /** Too long, or with a file that the service cannot read. */
    contentRejected: (limit: string) =>
      `This message cannot be sent. It has more than ${limit} characters, or a file that cannot be read.`,
    invalid_request: 'The service rejected this. Change it, then try again.',
    rateLimited: (count: number) => `Too many messages. Wait ${seconds(count)}, then try again.`,
    rateLimitedLong: 'Too many messages. Wait a minute, then try again.',
    request_in_progress: 'The assistant is still working on this message.',
    run_failed: 'The assistant could not answer. Your message is saved.',
    run_in_progress: 'The assistant is still working on an earlier message.',
    trigger_expired: 'This link has expired.',
    trigger_required: 'This assistant needs a link.',
    unauthorized: 'Your session has expired.',
    unavailable: 'The service is not available right now.',
    action_expired: 'The time to answer is over.',
    action_result_conflict: 'This was answered in another window.',
    internal_error: 'Something went wrong in the service. Try again in a moment.',
    invalid_response: 'The service is not available right now.',
    run_expired: 'The time to answer is over.',
    run_interrupted: 'The assistant was interrupted. Your message is saved.',
    timeout: 'The service took too long to respond.',
    trigger_already_used: 'This link has already been used.',
  },
};

export type Failures = typeof failures;
