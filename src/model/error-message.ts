import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { ModelError } from '../domain/agent/model-port.ts';

// Codes such as ECONNRESET and EPIPE, and those of undici, but not Node's ERR_… codes for invalid arguments.
const SOCKET_ERROR = /^(E(?!RR_)[A-Z]+|UND_ERR_)/;

/** The provider's reply ended early, without an error. */
export class IncompleteReplyError extends Error {
  constructor() {
    super('The answer ended without a finish reason.');
    this.name = 'IncompleteReplyError';
  }
}

/** Describes an error for the caller. It never contains the provider's text, which can quote keys and content. */
export function errorMessage(fault: unknown): string {
  if (fault instanceof ModelError) return fault.message;
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
  return errorMessage(cause ?? new IncompleteReplyError());
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
