import { createHash } from 'node:crypto';
import type {
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { LIMITS } from '../contract/limits.ts';
import type {
  FilePart,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../domain/agent/model-port.ts';
import { withStableKeys } from './stable-keys.ts';
import { strictMessages } from './strict-messages.ts';

type ResultContent = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value'][number];

type PartsOf<Role> = Exclude<Extract<LanguageModelV3Message, { role: Role }>['content'], string>;

/** Converts the instructions and messages of a request to a provider's prompt. */
export function promptOf({ instructions, messages }: Pick<ModelRequest, 'instructions' | 'messages'>) {
  const prompt: LanguageModelV3Prompt = strictMessages(messages).map(providerMessage);
  // Providers reject an empty system prompt.
  return instructions ? [{ role: 'system' as const, content: instructions }, ...prompt] : prompt;
}

function providerMessage(message: ModelMessage): LanguageModelV3Message {
  if (message.role === 'tool') return { role: 'tool', content: message.content.map(providerResult) };
  if (typeof message.content === 'string') {
    return { role: message.role, content: [{ type: 'text', text: message.content }] };
  }
  if (message.role === 'user') return { role: 'user', content: message.content as PartsOf<'user'> };
  return { role: 'assistant', content: message.content.map(assistantPart) };
}

function assistantPart(part: ReasoningPart | TextPart | ToolCallPart): PartsOf<'assistant'>[number] {
  if (part.type === 'text') return part;
  const { metadata, ...rest } = part;
  // The adapter of the same provider made it.
  const own = metadata !== undefined && { providerOptions: metadata as SharedV3ProviderOptions };
  if (rest.type === 'reasoning') return { ...rest, ...own };
  return { ...rest, ...providerCall(rest), input: withStableKeys(rest.input), ...own };
}

/** The ID and the name of a call, in the form that all providers accept. */
function providerCall({ toolCallId, toolName }: Pick<ToolCallPart, 'toolCallId' | 'toolName'>) {
  return { toolCallId: providerCallId(toolCallId), toolName: providerToolName(toolName) };
}

/** A model can call a tool that does not exist, with any name. The names of offered tools stay. */
function providerToolName(name: string): string {
  const cleaned = name.replace(/[^\w-]/g, '_').slice(0, LIMITS.toolNameLength);
  // The adapter of Anthropic finds names such as `constructor` in an object of its own.
  const isKept = /^[A-Za-z_]/.test(cleaned) && !(cleaned in Object.prototype);
  return isKept ? cleaned : `_${cleaned}`.slice(0, LIMITS.toolNameLength);
}

/** Mistral demands nine letters and digits. The digits of a hash do not repeat within a conversation. */
function providerCallId(callId: string): string {
  const hash = createHash('sha256').update(callId).digest('hex');
  return BigInt(`0x${hash.slice(0, 16)}`)
    .toString(36)
    .padStart(9, '0')
    .slice(-9);
}

function providerResult({ output, files = [], ...rest }: ToolResultPart): PartsOf<'tool'>[number] {
  const part = { ...rest, ...providerCall(rest) };
  // Stored outputs are JSON.
  if (output.type === 'error-text') return { ...part, output };
  const value = withStableKeys(output.value as JSONValue);
  if (files.length === 0) return { ...part, output: { ...output, value } };
  const text = { type: 'text' as const, text: JSON.stringify(value) };
  return { ...part, output: { type: 'content', value: [text, ...files.map(resultPart)] } };
}

function resultPart(part: TextPart | FilePart): ResultContent {
  if (part.type === 'text') return part;
  // Prepared files are base64.
  const { mediaType, filename } = part;
  const data = String(part.data);
  if (mediaType.startsWith('image/')) return { type: 'image-data', data, mediaType };
  return { type: 'file-data', data, mediaType, ...(filename !== undefined && { filename }) };
}
