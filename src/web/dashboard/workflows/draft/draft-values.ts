import type { ResultOf } from 'gql.tada';
import type { UseFieldArrayReturn } from 'react-hook-form';
import * as z from 'zod/mini';
import type { ClientToolName } from '../../../../contract/client-tools.ts';
import { HTTP_ACTION, MCP_SERVER } from '../../../../shapes/actions.ts';
import { CLIENT_TOOL, DRAFT_FORM, DRAFT_LISTS } from '../../../../shapes/drafts.ts';
import type { Shape } from '../../../../shapes/field.ts';
import { workflowName } from '../../../../shapes/names.ts';
import { RUN_BUDGETS } from '../../forms/budget-fields.ts';
import {
  atMost,
  converted,
  formatJson,
  optionalInteger,
  optionalJsonObject,
  optionalText,
  pairs,
  requiredText,
} from '../../forms/rules.ts';
import { settingsOf } from '../../forms/setting.ts';
import { formRules, formValues } from '../../forms/shape-rules.ts';
import type { Stored } from '../../forms/use-edit-form.ts';
import type { WORKFLOW } from '../documents.ts';
import { approvalSchema, NO_APPROVAL, storedApproval, toolApprovalSchema } from './approval-values.ts';
import { deadlineFields, NO_DEADLINE, storedDeadline, withExpiry } from './deadline-values.ts';

/** A workflow as its page reads it. */
export type WorkflowData = NonNullable<ResultOf<typeof WORKFLOW>['workflow']>;

const RESOURCE_TOOL_NAMES = ['FIND_RESOURCES', 'READ_RESOURCE', 'CREATE_RESOURCE', 'UPDATE_RESOURCE'] as const;

export type ResourceToolName = (typeof RESOURCE_TOOL_NAMES)[number];

const orNull = (text: string) => text.trim() || null;

/** Empty fields become null, which the service replaces by the default. */
const optional = (max: number) => converted(optionalText(max), orNull);

const toolName = requiredText('a name', CLIENT_TOOL.fields.name.most);
const actionSeconds = optionalInteger(HTTP_ACTION.fields.timeoutSeconds.least, HTTP_ACTION.fields.timeoutSeconds.most);

const clientTool = converted(
  z.object({
    name: toolName,
    description: optionalText(CLIENT_TOOL.fields.description.most),
    availability: z.enum(['WHEN_CONNECTED', 'ALWAYS']),
    inputSchema: optionalJsonObject,
    ...deadlineFields,
  }),
  withExpiry,
);

const httpAction = z.object({
  name: toolName,
  description: optionalText(CLIENT_TOOL.fields.description.most),
  integration: optional(HTTP_ACTION.fields.integration.most),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  url: requiredText('a URL', HTTP_ACTION.fields.url.most),
  headers: pairs,
  inputSchema: optionalJsonObject,
  timeoutSeconds: actionSeconds,
  retrySafe: z.boolean(),
  approval: approvalSchema,
});

const mcpServer = z.object({
  name: requiredText('a name', MCP_SERVER.fields.name.most),
  integration: requiredText('an integration', MCP_SERVER.fields.integration.most),
  /** One name per line. Empty means all tools. */
  tools: converted(z.string(), (text) => {
    const names = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return names.length > 0 ? names : null;
  }),
  timeoutSeconds: actionSeconds,
  retrySafe: z.boolean(),
  approval: approvalSchema,
});

/** The properties of a form's field for a setting of the draft. */
const SETTINGS = { ...DRAFT_FORM, ...RUN_BUDGETS };

export const setting = settingsOf(SETTINGS);

/** A workflow's name and its draft. */
export const draftSchema = z.object({
  name: requiredText('a name', workflowName.most),
  ...formRules(SETTINGS),
  clientTools: z.array(clientTool).check(atMost(DRAFT_LISTS.clientTools.most, 'tools')),
  httpActions: z.array(httpAction).check(atMost(DRAFT_LISTS.httpActions.most, 'actions')),
  mcpServers: z.array(mcpServer).check(atMost(DRAFT_LISTS.mcpServers.most, 'servers')),
  resourceTools: z.array(z.enum(RESOURCE_TOOL_NAMES)),
  toolApprovals: z.array(toolApprovalSchema).check(atMost(DRAFT_LISTS.toolApprovals.most, 'rules')),
});

export type DraftValues = z.input<typeof draftSchema>;

/** The client tools of Parley, which the editor shows as switches. */
export const BUILT_IN_TOOLS = ['ask_user', 'upload_document'] as const satisfies readonly ClientToolName[];

export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/** The client tools of the draft. One hook for all controls, because another one would not see their changes. */
export type ToolList = UseFieldArrayReturn<DraftValues, 'clientTools'>;

export const NEW_CLIENT_TOOL: DraftValues['clientTools'][number] = {
  name: '',
  description: '',
  availability: 'WHEN_CONNECTED',
  inputSchema: '',
  ...NO_DEADLINE,
};

export const NEW_HTTP_ACTION: DraftValues['httpActions'][number] = {
  name: '',
  description: '',
  integration: '',
  method: 'GET',
  url: '',
  headers: [],
  inputSchema: '',
  timeoutSeconds: '',
  retrySafe: false,
  approval: NO_APPROVAL,
};

export const NEW_MCP_SERVER: DraftValues['mcpServers'][number] = {
  name: '',
  integration: '',
  tools: '',
  timeoutSeconds: '',
  retrySafe: false,
  approval: { ...NO_APPROVAL, mode: 'ALWAYS' },
};

const schemaText = (schema: Record<string, unknown> | null): string => (schema ? formatJson(schema) : '');

/** The stored draft as the form holds it: numbers and JSON are texts. */
export function storedDraft({
  name,
  revision,
  draft,
}: Pick<WorkflowData, 'name' | 'revision' | 'draft'>): Stored<DraftValues> {
  const { clientTools, httpActions, mcpServers } = draft;
  const values: DraftValues = {
    name,
    ...formValues(SETTINGS, draft),
    clientTools: clientTools.map(({ name: tool, description, availability, inputSchema, ...deadline }) => ({
      name: tool,
      description,
      availability,
      inputSchema: schemaText(inputSchema),
      ...storedDeadline(deadline),
    })),
    httpActions: httpActions.map(({ headers, ...action }) => ({
      ...action,
      integration: action.integration ?? '',
      headers: headers.map(({ name: header, value }) => ({ name: header, value })),
      inputSchema: schemaText(action.inputSchema),
      timeoutSeconds: String(action.timeoutSeconds),
      approval: storedApproval(action.approval),
    })),
    mcpServers: mcpServers.map(({ tools, timeoutSeconds, ...server }) => ({
      ...server,
      tools: tools?.join('\n') ?? '',
      timeoutSeconds: String(timeoutSeconds),
      approval: storedApproval(server.approval),
    })),
    resourceTools: [...draft.resourceTools],
    toolApprovals: draft.toolApprovals.map(({ tool, ...rule }) => ({ name: tool, ...storedApproval(rule) })),
  };
  return { version: revision, values };
}

/** The names of the fields that differ, for the user. */
export function changedFields(before: DraftValues, after: DraftValues): string[] {
  const shape: Shape = { ...SETTINGS, ...DRAFT_LISTS };
  // The keys of an object of this type.
  const fields = Object.keys(draftSchema.shape) as (keyof DraftValues)[];
  return fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => shape[field]?.title ?? 'Name');
}
