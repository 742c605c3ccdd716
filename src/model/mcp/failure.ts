import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { LIMITS } from '../../contract/limits.ts';
import { McpError } from '../../domain/actions/mcp-port.ts';
import { GuardedFetchError } from '../../outbound/guarded-fetch-error.ts';
import { ChallengedFault } from './challenge.ts';

/** A parameter that the tool's schema puts into a header is missing there, or differs. */
const HEADER_MISMATCH = -32020;

/** Whether the server refused a call because of the headers that the schema of its tool demands. */
export function isHeaderMismatch(error: unknown): boolean {
  const cause = error instanceof McpError ? causeOf(error.cause) : undefined;
  return cause instanceof ProtocolError && cause.code === HEADER_MISMATCH;
}

/** Converts an error of a session. The server's text is only for the model. */
export function mcpErrorOf(fault: unknown): McpError {
  if (fault instanceof ChallengedFault) {
    const { message, cause, serverText } = mcpErrorOf(fault.cause);
    return new McpError(message, { cause, serverText, challenge: fault.challenge });
  }
  const cause = causeOf(fault);
  const serverText = serverTextOf(cause)?.slice(0, LIMITS.mcpErrorLength);
  return new McpError(messageFor(cause), { cause: fault, ...(serverText && { serverText }) });
}

/** The error of the client: each limit of time has an error of its own around it. */
function causeOf(fault: unknown): unknown {
  return fault instanceof GuardedFetchError && fault.kind === 'failed' && fault.cause ? causeOf(fault.cause) : fault;
}

function messageFor(cause: unknown): string {
  if (cause instanceof McpError || cause instanceof GuardedFetchError) return cause.message;
  if (cause instanceof SdkHttpError) {
    const { status } = cause;
    const isRejected = status === 401 || status === 403;
    return `The MCP server responded with ${status}${isRejected ? ': it rejected the credentials' : ''}.`;
  }
  if (cause instanceof ProtocolError) {
    return cause.code === ProtocolErrorCode.InvalidParams
      ? 'The MCP server rejected the call: the arguments are not valid, or the tool does not exist.'
      : 'The MCP server returned an error.';
  }
  // The client has no handler for the question.
  if (cause instanceof SdkError && cause.code === SdkErrorCode.CapabilityNotSupported)
    return 'The tool asks its user for input, which the service does not support.';
  return 'The MCP server could not be reached, or its response does not follow the protocol.';
}

function serverTextOf(cause: unknown): string | undefined {
  if (cause instanceof ProtocolError) return cause.message;
  if (!(cause instanceof SdkHttpError)) return undefined;
  const { text } = cause.data as { readonly text?: unknown };
  return typeof text === 'string' ? errorMessageOf(text) : undefined;
}

/** Only the message of an error of the protocol: another body can be a page of a proxy. */
function errorMessageOf(body: string): string | undefined {
  try {
    const message: unknown = JSON.parse(body)?.error?.message;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
