import { createHash } from 'node:crypto';
import { DEFAULT_CONTEXT_SHARE, knownContextTokens } from '../../../contract/model-windows.ts';
import { NO_USAGE, storableUsage, type Usage } from '../../../contract/token-usage.ts';
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

type Prompt = Pick<ModelRequest, 'model' | 'instructions' | 'messages' | 'tools' | 'outputSchema'>;

/** What a provider adds to a message or a part: its role, and marks around it. */
const MARKS = 16;

/**
 * The most tokens that the texts of a prompt can have: models write a token for at least one byte. Files count as
 * elsewhere, because no provider says what they take.
 */
export function promptSize(prompt: Prompt): PromptSize {
  const definitions = definitionsOf(prompt);
  const identity = [prompt.model, prompt.instructions, definitions].join('\n');
  return {
    key: createHash('sha1').update(identity).digest().readInt32BE(),
    most: sizeOf(prompt, definitions, FILE_TOKENS),
  };
}

/** What a step used whose provider did not count it: an estimate. */
export function estimatedUsage(prompt: Prompt, writtenBytes: number): Usage {
  const bytes = sizeOf(prompt, definitionsOf(prompt), FILE_TOKENS * BYTES_PER_TOKEN);
  const [inputTokens, outputTokens] = [bytes / BYTES_PER_TOKEN, writtenBytes / BYTES_PER_TOKEN];
  return storableUsage({ ...NO_USAGE, inputTokens, outputTokens });
}

/** The tools and the schema of the reply, as JSON. */
function definitionsOf({ tools, outputSchema = {} }: Prompt): string {
  return JSON.stringify([tools, outputSchema]);
}

/** The bytes of a prompt, in which each file counts as given. */
function sizeOf({ instructions, messages }: Prompt, definitions: string, file: number): number {
  const ofMessages = messages.reduce((sum, message) => sum + sizeOfMessage(message, file), 0);
  return Buffer.byteLength(instructions) + Buffer.byteLength(definitions) + MARKS + ofMessages;
}

function sizeOfMessage({ content }: ModelMessage, file: number): number {
  if (typeof content === 'string') return MARKS + Buffer.byteLength(content);
  return content.reduce((sum, part) => sum + MARKS + sizeOfPart(part, file), MARKS);
}

type Part = Exclude<ModelMessage['content'], string>[number];

function sizeOfPart(part: Part, file: number): number {
  if (part.type === 'file') return file;
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text);
  if (part.type === 'tool-call') return Buffer.byteLength(JSON.stringify([part.toolName, part.input]));
  const files = (part.files ?? []).reduce((sum, one) => sum + sizeOfPart(one, file), 0);
  return Buffer.byteLength(JSON.stringify(part.output.value)) + files;
}
