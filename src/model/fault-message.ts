import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  NoOutputGeneratedError,
  RetryError,
  TypeValidationError,
} from 'ai';
import { ModelFailure } from '../domain/agent/model-port.ts';

// ECONNRESET, EPIPE and their like, and undici's own; not Node's ERR_… for wrong arguments.
const SOCKET_ERROR = /^(E(?!RR_)[A-Z]+|UND_ERR_)/;

/** The provider's answer ended before it was finished, and without an error of its own. */
export class AnswerCutError extends Error {
  constructor() {
    super('The answer ended without a finish reason.');
    this.name = 'AnswerCutError';
  }
}

/** What may be told of a fault. Holds none of the provider's own words: they can quote keys and content. */
export function faultMessage(fault: unknown): string {
  if (fault instanceof ModelFailure) return fault.message;
  if (RetryError.isInstance(fault)) return faultMessage(fault.lastError);
  if (APICallError.isInstance(fault)) return refusalMessage(fault);
  if (isCutAnswer(fault) || isLostConnection(fault)) return 'The connection to the model provider broke off.';
  if (
    InvalidResponseDataError.isInstance(fault) ||
    JSONParseError.isInstance(fault) ||
    TypeValidationError.isInstance(fault)
  ) {
    return 'The answer of the model provider could not be understood.';
  }
  return 'The model provider failed.';
}

function refusalMessage({ statusCode: status, cause }: APICallError): string {
  if (status === undefined) return 'The model provider could not be reached.';
  if (status === 401 || status === 403) return `The model provider refused the credentials (${status}).`;
  if (status === 404) return `The model provider does not know this model (${status}).`;
  if (status === 429) return `The model provider is limiting requests (${status}).`;
  if (status >= 500) return `The model provider failed (${status}).`;
  if (status >= 400) return `The model provider refused the request (${status}).`;
  return faultMessage(cause ?? new AnswerCutError());
}

/** The SDK has errors of its own for it, but not for all providers. */
function isCutAnswer(fault: unknown): boolean {
  if (fault instanceof AnswerCutError || NoOutputGeneratedError.isInstance(fault)) return true;
  return InvalidResponseDataError.isInstance(fault) && fault.data === undefined;
}

/** What `fetch` throws from a body whose socket closed has the socket's error, and its code, as its cause. */
function isLostConnection(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  if ('code' in fault && typeof fault.code === 'string' && SOCKET_ERROR.test(fault.code)) return true;
  return isLostConnection(fault.cause);
}
