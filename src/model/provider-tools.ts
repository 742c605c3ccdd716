import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { safeParseJSON } from '@ai-sdk/provider-utils';
import { inexactNumber } from '../contract/exact-json.ts';
import type { ModelCall, ToolDefinition } from '../domain/agent/model-port.ts';
import { isTooComplex } from './reply/json-size.ts';
import type { ReplyCall } from './reply/provider-reply.ts';
import { withStableKeys } from './stable-keys.ts';
import { providerSchema } from './tool-schema.ts';

/** Converts tools to those of a provider. */
export function providerTools(tools: readonly ToolDefinition[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    // A schema that the request of a turn defines comes from the database when the turn continues.
    inputSchema: providerSchema(withStableKeys(inputSchema)),
  }));
}

/** Converts a provider's call. A malformed call gets an explanation for the model. */
export async function callOf(call: ReplyCall, tools: readonly ToolDefinition[]): Promise<ModelCall> {
  const { name, input: text, problem, metadata } = call;
  const own = metadata !== undefined && { metadata };
  if (!tools.some((tool) => tool.name === name)) {
    return { name, arguments: {}, ...own, unreadable: `There is no tool named ${name}.` };
  }
  if (problem !== undefined) return { name, arguments: {}, ...own, unreadable: problem };
  if (isTooComplex(text)) {
    return { name, arguments: {}, ...own, unreadable: `The arguments for ${name} have too many values or levels.` };
  }
  // Many models send no text at all for a call without arguments, and some servers the text `null`.
  const isEmpty = ['', 'null'].includes(text.trim());
  const input = isEmpty ? { success: true as const, value: {} } : await safeParseJSON({ text });
  if (!input.success || !isObject(input.value)) {
    return { name, arguments: {}, ...own, unreadable: `The arguments for ${name} must be one valid JSON object.` };
  }
  const number = inexactNumber(text);
  if (number !== undefined) {
    const shown = number.length > 40 ? `${number.slice(0, 40)}…` : number;
    return {
      name,
      arguments: {},
      ...own,
      unreadable: `The number ${shown} is too large to be exact. Send it as a string.`,
    };
  }
  return { name, arguments: input.value, ...own };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
