import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/quantities.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { sized } from '../../../shapes/kinds.ts';
import { CLIENT_CAPABILITY, RESUME_AGENT_TURN, RUN_AGENT_TURN, TOOL_RESULT } from '../../../shapes/turns.ts';
import { parseInput } from '../../input.ts';
import type { ClientCapability } from '../tools/tools.ts';

/** Exactly one of the fields. A name that no tool can have is ignored, like a name that is not configured. */
const capability = z
  .object(rulesOf(CLIENT_CAPABILITY.fields))
  .transform(({ name, tool }): ClientCapability => tool ?? { name: name ?? '' });

const { conversationId, toolResults, historyLimit, clientCapabilities } = RESUME_AGENT_TURN.fields;

const capabilities = sized(capability, clientCapabilities).check(
  z.refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must name each tool once'),
);

const connected = z.object({ clientCapabilities: z.nullish(capabilities) });

const outputSize = (output: unknown) => Buffer.byteLength(JSON.stringify(output ?? null));

const toolResult = z.object({
  ...rulesOf(TOOL_RESULT.fields),
  // A missing output is handled like any other output that is not an object.
  output: z
    .unknown()
    .refine(
      (output) => outputSize(output) <= LIMITS.toolOutputBytes,
      `must be at most ${formatBytes(LIMITS.toolOutputBytes)} as JSON`,
    )
    .optional(),
});

const resume = z.object({
  ...rulesOf({ conversationId, historyLimit, triggerId: RUN_AGENT_TURN.fields.triggerId }),
  toolResults: sized(toolResult, toolResults),
  clientCapabilities: z.nullish(capabilities),
});

/** A client's result for a call. Its output is not checked yet. */
export interface ToolResult {
  readonly callId: string;
  readonly output?: unknown;
}

export type ResumeInput = z.output<typeof resume>;

/** The client tools that a client says it can run. @throws {ServiceError} invalid_request */
export function parseCapabilities({
  clientCapabilities,
}: {
  clientCapabilities?: unknown;
}): readonly ClientCapability[] {
  return parseInput(connected, { clientCapabilities }).clientCapabilities ?? [];
}

/** @throws {ServiceError} invalid_request */
export function parseResume(input: Readonly<Record<string, unknown>>): ResumeInput {
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
  return parseInput(resume, input);
}
