import type { ModelMessage, ToolResultPart } from 'ai';
import { type ModelRequest, REPAIR_REQUEST } from '../domain/agent/model-port.ts';

/** What the demo model reads of a request. */
export interface DemoConversation {
  readonly instructions: string;
  /** Texts of all user messages, the last one included. */
  readonly userTexts: readonly string[];
  /** The last user message: its text parts, a line each, and how many files came with it. */
  readonly userText: string;
  readonly userFiles: number;
  /** Answers of the model since the last user message. */
  readonly stepsSince: number;
  /** What tools have returned since the last user message. */
  readonly toolOutputs: readonly { readonly name: string; readonly output: unknown }[];
  /** Words of the instructions and of all texts. */
  readonly wordCount: number;
}

export function readConversation({ instructions, messages: given }: ModelRequest): DemoConversation {
  // A script goes on when its answer is asked for again.
  const messages = given.filter((message) => message.role !== 'user' || !textOf(message).startsWith(REPAIR_REQUEST));
  const userMessages = messages.filter((message) => message.role === 'user');
  const userTexts = userMessages.map(textOf);
  const since = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
  return {
    instructions,
    userTexts,
    userText: userTexts.at(-1) ?? '',
    userFiles: partsOf(userMessages.at(-1)).filter(({ type }) => type === 'file' || type === 'image').length,
    stepsSince: since.filter((message) => message.role === 'assistant').length,
    toolOutputs: since.flatMap(outputsOf),
    wordCount: countWords([instructions, ...messages.map(textOf)].join(' ')),
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
  return message.content.flatMap((part) =>
    part.type === 'tool-result' ? [{ name: part.toolName, output: outputValue(part.output) }] : [],
  );
}

function outputValue(output: ToolResultPart['output']): unknown {
  return output.type === 'execution-denied' ? (output.reason ?? null) : output.value;
}
