import { DEFAULT_CONTEXT_SHARE, knownContextTokens } from '../../../contract/model-windows.ts';
import type { PromptSize } from '../../budgets/spending.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import type { ModelMessage, ModelRequest } from '../model-port.ts';

/** Tokens of a step after which the conversation is summarized. */
export function contextTokensOf({ contextTokens }: WorkflowConfig, model: string): number {
  return contextTokens ?? Math.floor(knownContextTokens(model) * DEFAULT_CONTEXT_SHARE);
}

/**
 * Tokens of a text, estimated before a provider counts them. Models write a token for about four bytes of English, and
 * for about three of Chinese, so this is too high rather than too low.
 */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Bytes of UTF-8. */
export const BYTES_PER_TOKEN = 3;

/** What a file takes: about as much as an image. The texts of files are bounded. */
export const FILE_TOKENS = 1_500;

type Prompt = Pick<ModelRequest, 'instructions' | 'messages' | 'tools' | 'outputSchema'>;

/** What a provider adds to a message or a part: its role, and marks around it. */
const MARKS = 16;

/**
 * The most tokens that the texts of a prompt can have: models write a token for at least one byte. Files count as
 * elsewhere, because no provider says what they take.
 */
export function mostTokens({ instructions, messages, tools, outputSchema = {} }: Prompt): PromptSize {
  const definitions = Buffer.byteLength(JSON.stringify([tools, outputSchema]));
  const ofMessages = messages.map(mostOfMessage);
  const sum = ofMessages.reduce((one, other) => one + other, 0);
  return { all: Buffer.byteLength(instructions) + definitions + MARKS + sum, latest: ofMessages.at(-1) ?? 0 };
}

function mostOfMessage({ content }: ModelMessage): number {
  if (typeof content === 'string') return MARKS + Buffer.byteLength(content);
  return content.reduce((sum, part) => sum + MARKS + mostOfPart(part), MARKS);
}

type Part = Exclude<ModelMessage['content'], string>[number];

function mostOfPart(part: Part): number {
  if (part.type === 'file') return FILE_TOKENS;
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text);
  if (part.type === 'tool-call') return Buffer.byteLength(JSON.stringify([part.toolName, part.input]));
  const files = (part.files ?? []).reduce((sum, file) => sum + mostOfPart(file), 0);
  return Buffer.byteLength(JSON.stringify(part.output.value)) + files;
}
