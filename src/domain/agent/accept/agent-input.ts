import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/quantities.ts';
import { TOOL_NAME_PATTERN } from '../../../contract/tool-names.ts';
import { historyLimitInput, parseTurn, type TurnInput, triggerIdInput } from '../../conversations/turn-input.ts';
import { parseInput } from '../../input.ts';
import { schemaInput } from '../../workflows/draft-fields.ts';
import type { ClientCapability } from '../tools/tools.ts';

const NAME_RULE = `must be 1 to ${LIMITS.toolNameLength} letters, digits, "_" or "-", starting with a letter`;

/** Exactly one of the fields. A name that no tool can have is ignored, like a name that is not configured (WIRE 15). */
const capability = z
  .object({
    name: z.string().optional(),
    tool: z.object({ name: z.string().regex(TOOL_NAME_PATTERN, NAME_RULE), inputSchema: schemaInput }).optional(),
  })
  .transform(({ name = '', tool }): ClientCapability => tool ?? { name });

const capabilities = z
  .array(capability)
  .max(LIMITS.clientCapabilities, `must hold at most ${LIMITS.clientCapabilities} tools`)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must name each tool once');

const connected = z.object({ clientCapabilities: capabilities.nullish() });

const outputSize = (output: unknown) => Buffer.byteLength(JSON.stringify(output ?? null));

const toolResult = z.object({
  callId: z.string(),
  // A missing output is handled like any other output that is not an object (WIRE 7, check 1).
  output: z
    .unknown()
    .refine(
      (output) => outputSize(output) <= LIMITS.toolOutputBytes,
      `must be at most ${formatBytes(LIMITS.toolOutputBytes)} as JSON`,
    )
    .optional(),
});

const resume = z.object({
  conversationId: z.guid('must be a UUID').toLowerCase(),
  toolResults: z.array(toolResult).max(LIMITS.toolResults, `must hold at most ${LIMITS.toolResults} results`),
  historyLimit: historyLimitInput,
  clientCapabilities: capabilities.nullish(),
  triggerId: triggerIdInput,
});

/** A client's result for a call. Its output is not checked yet. */
export interface ToolResult {
  readonly callId: string;
  readonly output?: unknown;
}

export type ResumeInput = z.output<typeof resume>;

/** The operation of an agent request (SPEC 4.1, WIRE 7). */
export type AgentOperation =
  | { readonly kind: 'turn'; readonly input: TurnInput; readonly capabilities: readonly ClientCapability[] }
  | { readonly kind: 'resume'; readonly input: ResumeInput };

/** @throws {ServiceError} invalid_request */
export function agentOperation(input: Readonly<Record<string, unknown>>): AgentOperation {
  if (input.toolResults !== undefined && input.toolResults !== null) return resumption(input);
  const capabilities = advertisedTools(input);
  return { kind: 'turn', input: parseTurn(input), capabilities };
}

/** @throws {ServiceError} invalid_request */
export function advertisedTools(input: object): readonly ClientCapability[] {
  return parseInput(connected, input).clientCapabilities ?? [];
}

function resumption(input: Readonly<Record<string, unknown>>): AgentOperation {
  const { content, variables, meta } = input;
  if (Array.isArray(content) && content.length > 0) {
    const message = '{param} cannot be combined with tool results. Send the results first, then the next message.';
    throw new ServiceError('invalid_request', message, { param: ['content'] });
  }
  for (const [field, value] of Object.entries({ variables, meta })) {
    if (value === undefined || value === null) continue;
    const message = '{param} is only allowed with the first message of a conversation. Leave it out.';
    throw new ServiceError('invalid_request', message, { param: [field] });
  }
  return { kind: 'resume', input: parseInput(resume, input) };
}
