import type { JSONValue, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type {
  FilePart,
  ModelMessage,
  ModelRequest,
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
  return { role: 'assistant', content: message.content.filter(isNotEmpty) as PartsOf<'assistant'> };
}

/** Providers reject empty text parts. */
function isNotEmpty(part: TextPart | FilePart | ToolCallPart): boolean {
  return part.type !== 'text' || part.text !== '';
}

function providerResult({ output, ...part }: ToolResultPart): PartsOf<'tool'>[number] {
  // Stored outputs are JSON.
  return { ...part, output: output.type === 'error-text' ? output : { ...output, value: output.value as JSONValue } };
}
