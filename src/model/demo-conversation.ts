import { isOfService, type ModelMessage, type ModelRequest } from '../domain/agent/model-port.ts';

/** The parts of a request that the demo model uses. */
export interface DemoConversation {
  readonly instructions: string;
  /** The texts of all user messages, including the last one. */
  readonly userTexts: readonly string[];
  /** The last user message: its text parts, one per line, and the number of its files. */
  readonly userText: string;
  readonly userFiles: number;
  /** How many times the model has replied since the last user message. */
  readonly stepsSince: number;
  /** The tool outputs since the last user message. */
  readonly toolOutputs: readonly { readonly name: string; readonly output: unknown }[];
  /** The number of words in the instructions and all messages. */
  readonly wordCount: number;
}

export function readConversation({ instructions, messages: all }: ModelRequest): DemoConversation {
  // A script continues after a request to repair its reply.
  const messages = all.filter((message) => message.role !== 'user' || !isOfService(textOf(message)));
  const userMessages = messages.filter((message) => message.role === 'user');
  const userTexts = userMessages.map(textOf);
  const since = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
  return {
    instructions,
    userTexts,
    userText: userTexts.at(-1) ?? '',
    userFiles: partsOf(userMessages.at(-1)).filter(({ type }) => type === 'file').length,
    stepsSince: since.filter((message) => message.role === 'assistant').length,
    toolOutputs: since.flatMap(outputsOf),
    wordCount: countWords([instructions, ...all.map(textOf)].join(' ')),
  };
}

export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function partsOf(message: ModelMessage | undefined): readonly { readonly type: string }[] {
  return typeof message?.content === 'string' || !message ? [] : message.content;
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function outputsOf(message: ModelMessage): { name: string; output: unknown }[] {
  if (message.role !== 'tool') return [];
  return message.content.map(({ toolName, output }) => ({ name: toolName, output: output.value }));
}
