import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { errors } from 'undici';
import type { RunFailureReason } from '../contract/run-failures.ts';
import { ModelError } from '../domain/agent/model-port.ts';
import { isContextOverflow } from './context-overflow.ts';
import { requestedPausesMs } from './provider-retries.ts';

// Codes such as ECONNRESET and EPIPE, and those of undici, but not Node's ERR_… codes for invalid arguments.
const SOCKET_ERROR = /^(E(?!RR_)[A-Z]+|UND_ERR_)/;

const UNREADABLE: StepFault = {
  reason: 'provider_unreadable',
  message: 'The answer of the model provider could not be understood.',
};

/** The provider's reply ended early, without an error. */
export class IncompleteReplyError extends Error {
  constructor() {
    super('The answer ended without a finish reason.');
    this.name = 'IncompleteReplyError';
  }
}

/** Why a step failed: a word for its run, and a sentence for the caller. */
export interface StepFault {
  readonly reason: RunFailureReason | undefined;
  readonly message: string;
  /** The pause that the provider asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Describes an error for the caller. It never contains the provider's text, which can quote keys and content. */
export function stepFault(fault: unknown): StepFault {
  if (fault instanceof ModelError) return fault;
  if (APICallError.isInstance(fault)) return refusal(fault);
  if (isNotHttp(fault)) return UNREADABLE;
  if (isCutAnswer(fault) || isLostConnection(fault)) {
    return { reason: 'provider_disconnected', message: 'The connection to the model provider broke off.' };
  }
  if (
    InvalidResponseDataError.isInstance(fault) ||
    JSONParseError.isInstance(fault) ||
    TypeValidationError.isInstance(fault)
  ) {
    return UNREADABLE;
  }
  return { reason: 'provider_failed', message: 'The model provider failed.' };
}

function refusal({ statusCode: status, cause, responseBody, responseHeaders }: APICallError): StepFault {
  if (status === undefined) {
    if (isNotHttp(cause)) return UNREADABLE;
    return { reason: 'provider_unreachable', message: 'The model provider could not be reached.' };
  }
  if (isContextOverflow(status, responseBody)) {
    const advice = 'Start a new conversation, or send a smaller history_limit';
    return { reason: 'context_length_exceeded', message: `The conversation is too long for the model. ${advice}.` };
  }
  if (status > 300 && status < 400 && status !== 304) {
    return { reason: 'provider_refused', message: `The model provider redirects to another address (${status}).` };
  }
  if (status < 400) return stepFault(cause ?? new IncompleteReplyError());
  const [reason, message] = refusalOf(status);
  const [retryAfterMs] = requestedPausesMs(responseHeaders);
  return { reason, message: `${message} (${status}).`, retryAfterMs };
}

function refusalOf(status: number): readonly [RunFailureReason, string] {
  if (status === 401 || status === 403) {
    return ['provider_key_rejected', 'The model provider refused the credentials'];
  }
  if (status === 404) return ['provider_model_unknown', 'The model provider does not know this model'];
  if (status === 429) return ['provider_limited', 'The model provider is limiting requests'];
  if (status >= 500) return ['provider_failed', 'The model provider failed'];
  return ['provider_refused', 'The model provider refused the request'];
}

/** The SDK has its own errors for this, but not for all providers. */
function isCutAnswer(fault: unknown): boolean {
  if (fault instanceof IncompleteReplyError) return true;
  return InvalidResponseDataError.isInstance(fault) && fault.data === undefined;
}

/** If a socket closes, `fetch` throws an error whose cause has the socket's error code. */
function isLostConnection(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  if ('code' in fault && typeof fault.code === 'string' && SOCKET_ERROR.test(fault.code)) return true;
  return isLostConnection(fault.cause);
}

const PROTOCOL_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];

/** Something responded, but not with HTTP, or with more headers than the client reads. */
function isNotHttp(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  return PROTOCOL_ERRORS.some((type) => fault instanceof type) || isNotHttp(fault.cause);
}
