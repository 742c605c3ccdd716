import { z } from 'zod';
import { DECISION_TOOLS } from '../../contract/client-tools.ts';
import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import { CLIENT_TOOL } from '../../shapes/drafts.ts';
import { rulesOf } from '../../shapes/field.ts';
import { sized } from '../../shapes/kinds.ts';
import { WORKFLOW_DRAFT } from '../../shapes/workflows.ts';
import { actionFields } from './action-input.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { checkDeadline, deadlineFields } from './deadline-input.ts';
import { requireModelParameters } from './model-parameters.ts';
import { requireOwnNames } from './server-tool-names.ts';

const SERVER_TOOLS = `must not be one of ${COMPLETION_TOOL}, ${DECISION_TOOLS.join(', ')}, which the server calls`;

const clientTool = z
  .object({
    ...rulesOf(CLIENT_TOOL.fields),
    name: CLIENT_TOOL.fields.name.rule.check(
      z.refine((name) => name !== COMPLETION_TOOL && !DECISION_TOOLS.includes(name), SERVER_TOOLS),
    ),
    ...deadlineFields,
  })
  .superRefine(checkDeadline);

/** A change of a draft. A null value restores the default. */
export const draftChange = z.object({
  ...rulesOf(WORKFLOW_DRAFT.fields),
  clientTools: z.nullish(
    sized(clientTool, WORKFLOW_DRAFT.fields.clientTools).check(
      z.refine(
        (tools) => new Set(tools.map(({ name }) => name)).size === tools.length,
        'must contain each tool name once',
      ),
    ),
  ),
  ...actionFields,
});

export type DraftChange = z.output<typeof draftChange>;

/**
 * Applies a change to a draft.
 * @throws {ServiceError} invalid_request if two tools would have the same name, or the provider does not have a parameter
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
  requireModelParameters(config);
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
