import type { JSONSchema7, LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { safeParseJSON } from '@ai-sdk/provider-utils';
import type { ModelCall, ToolDefinition } from '../domain/agent/model-port.ts';
import type { ReplyCall } from './provider-reply.ts';

/** Converts tools to those of a provider. */
export function providerTools(tools: readonly ToolDefinition[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: providerSchema(inputSchema),
  }));
}

/** Adds the type to a schema without one, because providers reject such a schema. */
export function providerSchema(schema: ToolDefinition['inputSchema']): JSONSchema7 {
  const typed = schema.type === undefined ? { ...schema, type: 'object' } : schema;
  return typed as JSONSchema7;
}

/** Converts a provider's call. A malformed call gets an explanation for the model. */
export async function callOf({ name, input: text }: ReplyCall, tools: readonly ToolDefinition[]): Promise<ModelCall> {
  if (!tools.some((tool) => tool.name === name)) {
    return { name, arguments: {}, unreadable: `There is no tool named ${name}.` };
  }
  // Many models send no text at all for a call without arguments.
  const input = text.trim() === '' ? { success: true as const, value: {} } : await safeParseJSON({ text });
  if (!input.success || !isObject(input.value)) {
    return { name, arguments: {}, unreadable: `The arguments for ${name} must be one valid JSON object.` };
  }
  return { name, arguments: input.value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
