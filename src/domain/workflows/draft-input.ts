import { z } from 'zod';
import { APPROVAL_TOOL } from '../../contract/client-tools.ts';
import { LIMITS } from '../../contract/limits.ts';
import { isModelName } from '../../contract/model-name.ts';
import { REASONING_EFFORTS, REASONING_MODES, RECOVERY_MODES, TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import { atMost } from '../input.ts';
import { actionFields } from './action-input.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { checkDeadline, deadlineFields } from './deadline-input.ts';
import { schemaInput, toolName, within } from './draft-fields.ts';
import { requireOwnNames } from './server-tool-names.ts';

const SERVER_TOOLS = `must not be ${COMPLETION_TOOL} or ${APPROVAL_TOOL}, which the server calls`;

const clientTool = z
  .object({
    name: toolName.refine((name) => name !== COMPLETION_TOOL && name !== APPROVAL_TOOL, SERVER_TOOLS),
    description: atMost(LIMITS.toolDescriptionLength).nullish(),
    availability: z.enum(TOOL_AVAILABILITIES).nullish(),
    inputSchema: schemaInput.nullish(),
    ...deadlineFields,
  })
  .superRefine(checkDeadline);

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
  reasoning: z.enum(REASONING_MODES).nullish(),
  reasoningEffort: z.enum(REASONING_EFFORTS).nullish(),
  timeoutSeconds: within(1, LIMITS.timeoutSeconds).nullish(),
  historyLimit: within(0, LIMITS.historyLimit).nullish(),
  maxSteps: within(1, LIMITS.modelSteps).nullish(),
  recovery: z.enum(RECOVERY_MODES).nullish(),
  maxAttempts: within(2, LIMITS.turnAttempts).nullish(),
});

export type DraftChange = z.output<typeof draftChange>;

/**
 * Applies a change to a draft.
 * @throws {ServiceError} invalid_request if two tools would have the same name
 */
export function changedDraft(draft: unknown, change: DraftChange): WorkflowConfig {
  const values = Object.entries(change).filter(([, value]) => value !== undefined);
  const bare = values.map(([field, value]) => [field, LISTS.has(field) ? withoutNullsEach(value) : value]);
  const before = workflowConfig.parse(draft);
  const config = withApprovals(
    workflowConfig.parse(withoutNulls({ ...before, ...Object.fromEntries(bare) })),
    before.mcpServers,
  );
  requireOwnNames(config);
  return config;
}

/** Calls of the tools of a new MCP server wait for an approval, unless the draft says otherwise. */
function withApprovals(config: WorkflowConfig, before: WorkflowConfig['mcpServers']): WorkflowConfig {
  const known = new Set(before.map(({ name }) => name));
  const mcpServers = config.mcpServers.map((server) =>
    server.approval || known.has(server.name) ? server : { ...server, approval: ALWAYS },
  );
  return { ...config, mcpServers };
}

const ALWAYS = { mode: 'always', approver: 'member' } as const;

/** Lists of objects that have optional fields. */
const LISTS: ReadonlySet<string> = new Set<keyof DraftChange>([
  'clientTools',
  'httpActions',
  'mcpServers',
  'toolApprovals',
]);

function withoutNullsEach(items: unknown): unknown {
  return Array.isArray(items) ? items.map(withoutNulls) : items;
}

/** Objects inside of such items that have optional fields. */
const NESTED: ReadonlySet<string> = new Set(['approval', 'onExpiry']);

/** Removes null values, so the schema applies the defaults. */
function withoutNulls(fields: object): object {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, NESTED.has(name) ? withoutNulls(value as object) : value]),
  );
}
