import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { isModelName } from '../../contract/model-name.ts';
import { TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import { actionFields } from './action-input.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { atMost, jsonSchema, toolName, within } from './draft-fields.ts';
import { requireOwnNames } from './server-tool-names.ts';

const clientTool = z.object({
  name: toolName.refine((name) => name !== COMPLETION_TOOL, `must not be ${COMPLETION_TOOL}, which the server runs`),
  description: atMost(LIMITS.toolDescriptionLength).nullish(),
  availability: z.enum(TOOL_AVAILABILITIES).nullish(),
  inputSchema: jsonSchema.nullish(),
});

/** A change of a draft: a field that is given replaces what is there, and null puts its default back. */
export const draftChange = z.object({
  instructions: atMost(LIMITS.instructionsLength).nullish(),
  model: z
    .string()
    .refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME')
    .nullish(),
  outputSchema: jsonSchema.nullish(),
  clientTools: z
    .array(clientTool)
    .max(LIMITS.clientTools, `must hold at most ${LIMITS.clientTools} tools`)
    .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'must name each tool once')
    .nullish(),
  ...actionFields,
  allowConversationCompletion: z.boolean().nullish(),
  titleModel: z.boolean().nullish(),
  timeoutSeconds: within(1, LIMITS.timeoutSeconds).nullish(),
  historyLimit: within(0, LIMITS.historyLimit).nullish(),
  maxSteps: within(1, LIMITS.modelSteps).nullish(),
});

export type DraftChange = z.output<typeof draftChange>;

/**
 * The draft after a change.
 * @throws {ServiceError} invalid_request where two tools would have one name
 */
export function changedDraft(draft: unknown, change: DraftChange): WorkflowConfig {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const bare = given.map(([field, value]) => [field, LISTS.has(field) ? withoutNullsEach(value) : value]);
  const config = workflowConfig.parse(withoutNulls({ ...workflowConfig.parse(draft), ...Object.fromEntries(bare) }));
  requireOwnNames(config);
  return config;
}

/** Fields whose items have fields of their own that take defaults. */
const LISTS: ReadonlySet<string> = new Set<keyof DraftChange>(['clientTools', 'httpActions', 'mcpServers']);

function withoutNullsEach(items: unknown): unknown {
  return Array.isArray(items) ? items.map(withoutNulls) : items;
}

/** What is left takes its default. */
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
