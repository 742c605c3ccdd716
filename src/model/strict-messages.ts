import { isOfService, type ModelMessage, type ReasoningPart, type TextPart } from '../domain/agent/model-port.ts';

type Parts = readonly Exclude<ModelMessage['content'], string>[number][];

const EMPTY = '(no text)';
const LEFT_OUT = '(Earlier messages are left out.)';
const NO_REPLY = '(The turn ended here.)';
const FILES_FOLLOW = '(The files follow.)';

/**
 * Arranges messages for the strictest servers. Their templates demand that a user begins, that user and assistant take
 * turns, and that the assistant speaks after the results of its calls. No provider accepts a text of white space.
 * Turns that failed or were stopped leave such messages.
 */
export function strictMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const strict: ModelMessage[] = [];
  for (const message of messages.map(withoutBlanks)) {
    const last = strict.at(-1);
    if (message.content.length === 0) continue;
    if (!last && message.role !== 'user') strict.push({ role: 'user', content: [text(LEFT_OUT)] });
    if (last?.role === 'tool' && message.role === 'user')
      strict.push({ role: 'assistant', content: [text(isFromService(message) ? FILES_FOLLOW : NO_REPLY)] });
    if (last?.role === message.role) strict[strict.length - 1] = merged(last, message);
    else strict.push(message);
  }
  return strict;
}

/**
 * The current round without earlier turns, for a provider that rejects something in them. Undefined if there are no earlier turns.
 */
export function reducedHistory(messages: readonly ModelMessage[]): ModelMessage[] | undefined {
  const start = messages.findLastIndex((message) => message.role === 'user' && !isFromService(message));
  return start > 0 ? messages.slice(start) : undefined;
}

/** Whether the service wrote the message of the user. */
function isFromService({ content }: ModelMessage): boolean {
  const [first] = partsOf(content);
  return first?.type === 'text' && isOfService(first.text);
}

function withoutBlanks(message: ModelMessage): ModelMessage {
  const content = partsOf(message.content).filter((part) => part.type !== 'text' || part.text.trim() !== '');
  const isEmptyUser = content.length === 0 && message.role === 'user';
  // The roles of the parts are those of the message.
  return { ...message, content: isEmptyUser ? [text(EMPTY)] : content } as ModelMessage;
}

function merged(first: ModelMessage, second: ModelMessage): ModelMessage {
  const parts = partsOf(second.content);
  // A reply begins with its reasoning.
  const reasoning = parts.filter((part): part is ReasoningPart => part.type === 'reasoning');
  const content = [...reasoning, ...partsOf(first.content)];
  for (const part of parts.slice(reasoning.length)) {
    const last = content.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      content[content.length - 1] = text(`${last.text}\n\n${part.text}`);
    else content.push(part);
  }
  return { ...second, content } as ModelMessage;
}

function partsOf(content: ModelMessage['content']): Parts {
  return typeof content === 'string' ? [text(content)] : content;
}

function text(words: string): TextPart {
  return { type: 'text', text: words };
}
