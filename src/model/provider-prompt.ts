import type {
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type {
  FilePart,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../domain/agent/model-port.ts';

type PartsOf<Role> = Exclude<Extract<LanguageModelV3Message, { role: Role }>['content'], string>;

/** Converts the instructions and messages of a request to a provider's prompt. */
export function promptOf({ instructions, messages }: Pick<ModelRequest, 'instructions' | 'messages'>) {
  const prompt: LanguageModelV3Prompt = messages.map(providerMessage);
  // Providers reject an empty system prompt.
  return instructions ? [{ role: 'system' as const, content: instructions }, ...prompt] : prompt;
}

function providerMessage(message: ModelMessage): LanguageModelV3Message {
  if (message.role === 'tool') return { role: 'tool', content: message.content.map(providerResult) };
  if (typeof message.content === 'string') {
    return { role: message.role, content: [{ type: 'text', text: message.content }] };
  }
  if (message.role === 'user') return { role: 'user', content: message.content.filter(isNotEmpty) as PartsOf<'user'> };
  return { role: 'assistant', content: message.content.filter(isNotEmpty).map(assistantPart) };
}

function assistantPart(part: ReasoningPart | TextPart | ToolCallPart): PartsOf<'assistant'>[number] {
  if (part.type !== 'reasoning') return part;
  const { type, text, metadata } = part;
  // The adapter of the same provider made it.
  return { type, text, ...(metadata !== undefined && { providerOptions: metadata as SharedV3ProviderOptions }) };
}

/** Providers reject empty text parts. */
function isNotEmpty(part: ReasoningPart | TextPart | FilePart | ToolCallPart): boolean {
  return part.type !== 'text' || part.text !== '';
}

function providerResult({ output, ...part }: ToolResultPart): PartsOf<'tool'>[number] {
  // Stored outputs are JSON.
  return { ...part, output: output.type === 'error-text' ? output : { ...output, value: output.value as JSONValue } };
}
