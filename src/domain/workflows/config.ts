import { z } from 'zod';
import { APPROVAL_MODES, APPROVERS, EXPIRY_MODES, HTTP_METHODS, TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../contract/tool-names.ts';
import { HTTP_ACTION } from '../../shapes/actions.ts';
import { DEADLINE_FIELDS } from '../../shapes/deadlines.ts';
import { storedRules } from '../../shapes/stored.ts';
import { DRAFT_SETTINGS } from '../../shapes/workflows.ts';
import { objectInput, schemaInput } from './draft-fields.ts';

/** The deadline of a pending call. Default: no deadline. */
const deadline = {
  ...storedRules({ expiresAfterSeconds: DEADLINE_FIELDS.expiresAfterSeconds }),
  /** Default: cancel. */
  onExpiry: z.object({ mode: z.enum(EXPIRY_MODES), output: objectInput.optional() }).optional(),
};

const clientTool = z.object({
  name: z.string(),
  description: z.string().default(''),
  availability: z.enum(TOOL_AVAILABILITIES).default('when_connected'),
  /** JSON Schema of the arguments. Default: any object. */
  inputSchema: schemaInput.optional(),
  ...deadline,
});

/** The time limit of a call, and whether one whose outcome is unknown can be repeated. */
const { timeoutSeconds, retrySafe } = storedRules({
  timeoutSeconds: HTTP_ACTION.fields.timeoutSeconds,
  retrySafe: HTTP_ACTION.fields.retrySafe,
});

const approval = z.object({
  mode: z.enum(APPROVAL_MODES),
  /** With the mode `when`: a JSON Schema. Calls whose arguments match it wait. */
  when: schemaInput.optional(),
  approver: z.enum(APPROVERS).default('member'),
  /** Whether callers without credentials count as the client. Default: no. A public deployment needs the decision. */
  allowAnonymous: z.boolean().optional(),
  ...deadline,
});

const httpAction = z.object({
  name: z.string(),
  description: z.string().default(''),
  /** Name of an HTTP integration of the environment. Its address is the prefix of `url`, and its headers are sent. */
  integration: z.string().optional(),
  method: z.enum(HTTP_METHODS).default('GET'),
  /** Absolute, or a path if there is an integration. Arguments replace `{name}`. */
  url: z.string(),
  /** Not for secrets: set those in an integration. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  /** JSON Schema of the arguments. Default: no arguments. */
  inputSchema: schemaInput.optional(),
  timeoutSeconds,
  retrySafe,
  /** Default: never. */
  approval: approval.optional(),
});

const mcpServer = z.object({
  /** The prefix of its tool names. */
  name: z.string(),
  /** Name of an MCP integration of the environment. */
  integration: z.string(),
  /** The tools to offer, by their names on the server. Default: all. */
  tools: z.array(z.string()).optional(),
  /** Limit: duration of a call. */
  timeoutSeconds,
  retrySafe,
  /** Default: never. */
  approval: approval.optional(),
});

/** The configuration of an assistant. A draft can change, a version cannot. */
export const workflowConfig = z.object({
  ...storedRules(DRAFT_SETTINGS),
  clientTools: z.array(clientTool).default([]),
  /** HTTP requests that the model can make through the server. */
  httpActions: z.array(httpAction).default([]),
  /** MCP servers whose tools the model can call. */
  mcpServers: z.array(mcpServer).default([]),
  /** Built-in tools for the resources of the environment. */
  resourceTools: z.array(z.enum(RESOURCE_TOOLS)).default([]),
  /** Approvals of single tools, of MCP servers by the server's name and its own name of the tool, and for resources. */
  toolApprovals: z.array(approval.extend({ tool: z.string() })).default([]),
});

export type WorkflowConfig = z.output<typeof workflowConfig>;
export type WorkflowConfigInput = z.input<typeof workflowConfig>;

/** The deadline of a pending call, and what happens then. */
export type Deadline = Pick<WorkflowConfig['clientTools'][number], 'expiresAfterSeconds' | 'onExpiry'>;
/** Which calls wait for an approval, and whose. */
export type Approval = z.output<typeof approval>;
/** An HTTP request that the model can make through the server. */
export type HttpAction = WorkflowConfig['httpActions'][number];
/** An MCP server whose tools the model can call. */
export type McpServerConfig = WorkflowConfig['mcpServers'][number];

/** How much of a conversation its turns get, unless they say it themselves. Null: the newest summary and everything after it. */
export function historyLimitOf({ context, historyLimit }: WorkflowConfig): number | null {
  return context === 'compact' ? null : historyLimit;
}
