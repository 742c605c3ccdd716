import { ServiceError } from '../../contract/errors.ts';
import { contentPart, isFields } from './files.ts';

/** What a request of the chat sends to the runner, with the field names of REST. */
export interface ChatTurn {
  readonly body: object;
  /** The calls of the message that the response continues. Undefined: the response begins a message. */
  readonly known: ReadonlySet<string> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The turn that a request of the chat asks for: the last message of the user, or the results of the calls in the last
 * message of the assistant. Earlier messages are not read, because the service has them.
 * @throws {ServiceError} invalid_request
 */
export function turnOf(body: unknown): ChatTurn {
  if (!isFields(body)) throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  const { id, messages, trigger, messageId, content: _content, tool_results: _results, ...fields } = body;
  if (trigger === 'regenerate-message') {
    throw invalid('Parley keeps every reply, so {param} must be submit-message. Send a new message.', 'trigger');
  }
  const message: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isFields(message) || !Array.isArray(message.parts)) {
    throw invalid('{param} must end with a message that has parts.', 'messages');
  }
  const parts: readonly unknown[] = message.parts;
  if (message.role === 'assistant') return resume(id, parts, fields);
  if (messageId !== undefined && messageId !== null) {
    throw invalid('Parley keeps every message, so {param} cannot replace one. Send a new message.', 'messageId');
  }
  const content = parts.map(contentPart);
  return { body: { ...fields, conversation_id: id, start_if_missing: true, content }, known: undefined };
}

/** Variables and labels belong to the first message. The options of a chat repeat them with every request. */
function resume(id: unknown, parts: readonly unknown[], fields: Fields): ChatTurn {
  const { variables: _variables, meta: _meta, start_if_missing: _start, ...rest } = fields;
  const calls = parts.filter(isFields).filter((part) => typeof part.toolCallId === 'string');
  const lastStep = parts.findLastIndex((part) => isFields(part) && part.type === 'step-start');
  const results = parts.slice(lastStep + 1).flatMap((part) => (isFields(part) ? resultsOf(part) : []));
  if (results.length === 0) {
    throw invalid('{param} must end with a message of the user, or with outputs of its tools.', 'messages');
  }
  const known = new Set(calls.map(({ toolCallId }) => String(toolCallId)));
  return { body: { ...rest, conversation_id: id, tool_results: results }, known };
}

/** The result in a part: the answer to an approval, or the output of a client tool. */
function resultsOf({ toolCallId, state, approval, output, errorText, providerExecuted }: Fields): object[] {
  if (isFields(approval)) {
    const { id, approved, reason } = approval;
    return typeof approved === 'boolean' ? [{ call_id: id, output: { approved, ...(reason ? { reason } : {}) } }] : [];
  }
  if (providerExecuted === true || typeof toolCallId !== 'string') return [];
  if (state === 'output-error') return [{ call_id: toolCallId, output: { error: errorText } }];
  if (state !== 'output-available') return [];
  return [{ call_id: toolCallId, output: isFields(output) ? output : { result: output ?? null } }];
}

function invalid(message: string, param: string): ServiceError {
  return new ServiceError('invalid_request', message, { param: [param] });
}
