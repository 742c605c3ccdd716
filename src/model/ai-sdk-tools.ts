import { type JSONSchema7, jsonSchema, NoSuchToolError, type ToolSet, type TypedToolCall } from 'ai';
import type { ModelCall, ToolDefinition } from '../domain/agent/model-port.ts';

/** The tools as the AI SDK wants them. None can be executed by it, so that a call ends the step. */
export function toolsFor(tools: readonly ToolDefinition[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      // A tenant's schema, checked where it was stored.
      { description, inputSchema: jsonSchema(inputSchema as JSONSchema7) },
    ]),
  );
}

/** A call as the provider sent it. What cannot be read as a call carries what to tell the model instead. */
export function callOf(call: TypedToolCall<ToolSet>): ModelCall {
  const { toolName: name, input } = call;
  if (call.invalid && NoSuchToolError.isInstance(call.error)) {
    return { name, arguments: {}, unreadable: `There is no tool named ${name}.` };
  }
  if (call.invalid || !isObject(input)) {
    return { name, arguments: {}, unreadable: `The arguments for ${name} must be one valid JSON object.` };
  }
  return { name, arguments: input };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
