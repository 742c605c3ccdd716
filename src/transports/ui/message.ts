import { ServiceError } from '../../contract/errors.ts';
import { contentPart, isFields } from './files.ts';

/** A turn that replaces others. */
export interface Replacement {
  /** Otherwise the last turn runs again. */
  readonly isEdit: boolean;
  readonly chatId: string;
  /** The message that the page replaces: one of the user, or a reply to regenerate. */
  readonly messageId: string | undefined;
  /** The messages of the page. The last one is the message of the user whose turn is replaced. */
  readonly sent: readonly SentMessage[];
  readonly body: Fields;
}

/** A message of a page. */
export interface SentMessage {
  readonly id: string;
  readonly isUser: boolean;
  readonly text: string;
}

/** What a request of the chat sends to the runner, with the field names of REST. */
export interface ChatTurn {
  readonly body: object;
  /** Undefined: nothing is replaced. */
  readonly replaces?: Replacement;
  /** The calls of the message that the response continues. Undefined: the response begins a message. */
  readonly known: ReadonlySet<string> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const SEND = 'submit-message';
const REGENERATE = 'regenerate-message';

/** Without a trigger, a message is sent. */
const TRIGGERS: readonly unknown[] = [SEND, REGENERATE, undefined, null];

/**
 * The turn that a request of the chat asks for: the last message of the user, or the results of the calls in the last
 * message of the assistant. Earlier messages only show the place of a message that is replaced: the service has them.
 * @throws {ServiceError} invalid_request
 */
export function turnOf(body: unknown): ChatTurn {
  if (!isFields(body)) throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  const { id, messages, trigger, messageId, content: _content, tool_results: _results, ...rest } = body;
  const { acknowledge_effects, ...fields } = rest;
  if (!TRIGGERS.includes(trigger)) throw invalid(`{param} must be ${SEND} or ${REGENERATE}.`, 'trigger');
  const message: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isFields(message) || !Array.isArray(message.parts)) {
    throw invalid('{param} must end with a message that has parts.', 'messages');
  }
  const parts: readonly unknown[] = message.parts;
  const isEdit = trigger !== REGENERATE;
  if (message.role === 'assistant') {
    if (isEdit) return resume(id, parts, fields);
    throw invalid('{param} must end with the message of the user that gets another reply.', 'messages');
  }
  const content = parts.map(contentPart);
  const turn = { body: { ...fields, conversation_id: id, start_if_missing: true, content }, known: undefined };
  if (isEdit && (messageId === undefined || messageId === null)) return turn;
  const { client_capabilities, history_limit } = fields;
  const replaces = {
    ...{ isEdit, chatId: String(id), sent: (messages as unknown[]).flatMap(sentMessage) },
    messageId: typeof messageId === 'string' ? messageId : undefined,
    body: { acknowledge_effects, client_capabilities, history_limit, content },
  };
  return { ...turn, replaces };
}

function sentMessage(message: unknown): SentMessage[] {
  if (!isFields(message) || !Array.isArray(message.parts)) return [];
  const { id, role, parts } = message;
  const texts = parts.filter(isFields).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
  return [{ id: String(id), isUser: role === 'user', text: texts.join('\n') }];
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
