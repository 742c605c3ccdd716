import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { isModelName } from '../../contract/model-name.ts';
import { TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import { actionFields } from './action-input.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { atMost, schemaInput, toolName, within } from './draft-fields.ts';
import { requireOwnNames } from './server-tool-names.ts';

const clientTool = z.object({
  name: toolName.refine((name) => name !== COMPLETION_TOOL, `must not be ${COMPLETION_TOOL}, a tool of the server`),
  description: atMost(LIMITS.toolDescriptionLength).nullish(),
  availability: z.enum(TOOL_AVAILABILITIES).nullish(),
  inputSchema: schemaInput.nullish(),
});

/** A change of a draft. A null value restores the default. */
export const draftChange = z.object({
  instructions: atMost(LIMITS.instructionsLength).nullish(),
  model: z
    .string()
    .refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME')
    .nullish(),
  outputSchema: schemaInput.nullish(),
  clientTools: z
    .array(clientTool)
    .max(LIMITS.clientTools, `must contain at most ${LIMITS.clientTools} tools`)
    .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'must contain each tool name once')
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
 * Applies a change to a draft.
 * @throws {ServiceError} invalid_request if two tools would have the same name
 */
export function changedDraft(draft: unknown, change: DraftChange): WorkflowConfig {
  const values = Object.entries(change).filter(([, value]) => value !== undefined);
  const bare = values.map(([field, value]) => [field, LISTS.has(field) ? withoutNullsEach(value) : value]);
  const config = workflowConfig.parse(withoutNulls({ ...workflowConfig.parse(draft), ...Object.fromEntries(bare) }));
  requireOwnNames(config);
  return config;
}

/** Lists of objects that have optional fields. */
const LISTS: ReadonlySet<string> = new Set<keyof DraftChange>(['clientTools', 'httpActions', 'mcpServers']);

function withoutNullsEach(items: unknown): unknown {
  return Array.isArray(items) ? items.map(withoutNulls) : items;
}

/** Removes null values, so the schema applies the defaults. */
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
