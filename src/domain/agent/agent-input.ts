import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import { historyLimitInput, parseTurn, type TurnInput } from '../conversations/turn-input.ts';
import { parseInput } from '../input.ts';
import type { ClientCapability } from './tools.ts';

const capability = z.object({
  name: z.string().regex(TOOL_NAME_PATTERN, 'must be 1 to 64 letters, digits, "_" or "-", beginning with a letter'),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
});

const capabilities = z
  .array(capability)
  .max(LIMITS.clientCapabilities, `must hold at most ${LIMITS.clientCapabilities} tools`)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must name each tool once')
  .transform((list) => list.map(({ name, inputSchema }) => ({ name, inputSchema: inputSchema ?? undefined })));

const connected = z.object({ clientCapabilities: capabilities.nullish() });

const outputSize = (output: unknown) => Buffer.byteLength(JSON.stringify(output ?? null));

const toolResult = z.object({
  callId: z.string(),
  output: z.unknown().refine((output) => outputSize(output) <= LIMITS.toolOutputBytes, 'must be at most 1 MiB as JSON'),
});

const resume = z.object({
  conversationId: z.guid('must be a UUID').toLowerCase(),
  toolResults: z.array(toolResult).max(LIMITS.toolResults, `must hold at most ${LIMITS.toolResults} results`),
  historyLimit: historyLimitInput,
  clientCapabilities: capabilities.nullish(),
  triggerId: z.string().nullish(),
});

/** What a client sent for a call, its output not looked at yet. */
export interface ToolResult {
  readonly callId: string;
  readonly output: unknown;
}

export type ResumeInput = z.output<typeof resume>;

/** What an agent turn is asked to do (SPEC 4.1, WIRE 7). */
export type AgentOperation =
  | { readonly kind: 'turn'; readonly input: TurnInput; readonly capabilities: readonly ClientCapability[] }
  | { readonly kind: 'resume'; readonly input: ResumeInput };

/** @throws {ServiceError} invalid_request */
export function agentOperation(input: Readonly<Record<string, unknown>>): AgentOperation {
  if (input.toolResults !== undefined && input.toolResults !== null) return resumption(input);
  const { clientCapabilities } = parseInput(connected, input);
  return { kind: 'turn', input: parseTurn(input), capabilities: clientCapabilities ?? [] };
}

function resumption(input: Readonly<Record<string, unknown>>): AgentOperation {
  const { content, variables, meta } = input;
  if (Array.isArray(content) && content.length > 0) {
    const message = '{param} cannot stand beside tool results. Send the results first, then the next message.';
    throw new ServiceError('invalid_request', message, { param: ['content'] });
  }
  for (const [field, value] of Object.entries({ variables, meta })) {
    if (value === undefined || value === null) continue;
    const message = '{param} is taken with the first message of a conversation only: leave it out.';
    throw new ServiceError('invalid_request', message, { param: [field] });
  }
  return { kind: 'resume', input: parseInput(resume, input) };
}
