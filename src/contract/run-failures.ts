import { PROVIDER_VARIABLES, providerModelOf } from './model-name.ts';

/**
 * Why a run failed or was interrupted by an error, as words of a closed set. `why` is one sentence for members. `advice`
 * says what to do. `{KEY}` and `{URL}` stand for the variables of the model's provider.
 */
const FAILURES = {
  provider_key_rejected: {
    why: 'The model provider rejected the API key.',
    advice: 'Check {KEY}, and whether the key may use this model. Then restart the service.',
  },
  provider_model_unknown: {
    why: 'The model provider does not have this model.',
    advice: 'Check the name of the model in the workflow, and whether your account at the provider may use it.',
  },
  provider_limited: {
    why: 'The model provider limits requests, or the quota of the account is used up.',
    advice: 'Wait and send the message again. Raise the limit or the quota of your account at the provider.',
  },
  context_length_exceeded: {
    why: 'The conversation is longer than the context of the model.',
    advice:
      'Start a new conversation, send a smaller `history_limit`, shorten the instructions, or choose a model with a larger context.',
  },
  provider_refused: {
    why: 'The model provider refused the request.',
    advice:
      'Read the response of the provider in the trace. Often a file has the wrong type, or the model does not take tools.',
  },
  provider_failed: {
    why: 'The model provider failed.',
    advice: 'Look at the status page of the provider. Send the message again later.',
  },
  provider_unreachable: {
    why: 'The service could not reach the model provider.',
    advice: 'Check {URL}, and the network of the service.',
  },
  provider_disconnected: {
    why: 'The connection to the model provider broke off.',
    advice: 'Send the message again. If it happens often, check the network and the proxies of the service.',
  },
  provider_unreadable: {
    why: 'The service could not understand the response of the model provider.',
    advice: 'Check that {URL} is an address of a supported API. Read the response of the provider in the trace.',
  },
  provider_not_configured: {
    why: 'The model of this turn is not configured.',
    advice: 'Set {KEY} or {URL} for its provider, or choose another model in the workflow.',
  },
  output_schema_mismatch: {
    why: 'The reply did not match the output schema, and neither did a second reply.',
    advice: 'Simplify the output schema of the workflow, describe it in the instructions, or choose a stronger model.',
  },
  model_error: {
    why: 'The model failed.',
    advice: 'Open the trace to see at which step, and send the message again.',
  },
  model_timeout: {
    why: 'The model did not answer in time.',
    advice: 'Raise the time limit of a model step in the workflow, or choose a faster model.',
  },
  service_stopped: {
    why: 'The service stopped while the turn ran.',
    advice: 'Send the message again.',
  },
  process_lost: {
    why: 'The process that ran the turn ended.',
    advice: 'Send the message again. If it happens often, look at the memory and the log of the service.',
  },
  cancelled: {
    why: 'The turn waited for its client, and its calls were cancelled.',
    advice:
      'Send the next message. If clients often do not return, let the calls expire: set a deadline in the workflow.',
  },
  action_expired: {
    why: 'A call was not answered before its deadline.',
    advice: 'Send the next message. Raise the deadline in the workflow if people need more time.',
  },
  internal_error: {
    why: 'The service failed.',
    advice: 'Search the log of the service for the request ID.',
  },
} as const;

export type RunFailureReason = keyof typeof FAILURES;

/** Causes that stay until a member or the operator changes something. */
const LASTING: readonly RunFailureReason[] = [
  'provider_key_rejected',
  'provider_model_unknown',
  'context_length_exceeded',
  'provider_refused',
  'provider_not_configured',
];

/** Whether the same message can succeed later. An unknown cause can be temporary. */
export function isRetryable(reason: string | null | undefined): boolean {
  return !LASTING.some((one) => one === reason);
}

export const RUN_FAILURE_REASONS = Object.keys(FAILURES) as RunFailureReason[];

/** A failure, explained. */
export interface RunFailure {
  readonly reason: RunFailureReason;
  readonly message: string;
  readonly advice: string;
}

const UNKNOWN_PROVIDER = { key: 'the API key', url: 'the base URL' };

/** Explains a reason, or the error code of a run without a reason. An unknown code is an error of the service. */
export function explainFailure(code: string, model: string): RunFailure {
  const reason = RUN_FAILURE_REASONS.find((one) => one === code) ?? 'internal_error';
  const { why, advice } = FAILURES[reason];
  const provider = providerModelOf(model)?.provider;
  const { key, url } = provider ? PROVIDER_VARIABLES[provider] : UNKNOWN_PROVIDER;
  return { reason, message: why, advice: advice.replace('{KEY}', key).replace('{URL}', url) };
}
