import { type WorkflowConfig, workflowConfig } from '../../../domain/workflows/config.ts';
import { DRAFT_SETTINGS } from '../../../shapes/workflows.ts';
import { builder } from '../builder.ts';
import { ToolAvailabilityEnum } from '../enums.ts';
import { outputFields } from '../shape-fields.ts';
import { deadlineFields } from './call-deadlines.ts';
import { HttpActionObject, McpServerObject, ResourceToolEnum } from './workflow-actions.ts';
import { ToolApprovalObject } from './workflow-approvals.ts';

const ClientTool = builder.objectRef<WorkflowConfig['clientTools'][number]>('ClientTool').implement({
  description: 'A tool that the client runs.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name that the model calls and the client advertises.' }),
    description: t.exposeString('description', {
      description: 'The description for the model. It can be empty. Built-in client tools have a fixed description.',
    }),
    availability: t.expose('availability', { type: ToolAvailabilityEnum, description: 'When the model can call it.' }),
    inputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON Schema of the arguments. Null: any object.',
      resolve: ({ inputSchema }) => inputSchema ?? null,
    }),
    ...deadlineFields(t),
  }),
});

const { outputSchema: _, ...SETTINGS } = DRAFT_SETTINGS;

export const WorkflowConfigObject = builder.objectRef<WorkflowConfig>('WorkflowConfig').implement({
  description: 'The configuration of an assistant, in a draft or a version.',
  fields: (t) => ({
    ...outputFields(t, SETTINGS),
    outputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON Schema of every reply. Null: replies are text.',
      resolve: ({ outputSchema }) => outputSchema ?? null,
    }),
    clientTools: t.expose('clientTools', { type: [ClientTool], description: 'Tools that the client runs.' }),
    httpActions: t.expose('httpActions', {
      type: [HttpActionObject],
      description: 'Tools that send HTTP requests from the server.',
    }),
    mcpServers: t.expose('mcpServers', {
      type: [McpServerObject],
      description: 'MCP servers whose tools the model can call.',
    }),
    resourceTools: t.expose('resourceTools', {
      type: [ResourceToolEnum],
      description: "Enabled built-in tools for the resources of the run's environment.",
    }),
    toolApprovals: t.expose('toolApprovals', {
      type: [ToolApprovalObject],
      description: 'Approvals of single tools. They take precedence over the approval of an action or server.',
    }),
  }),
});

/** A stored configuration with its defaults filled in. */
export function configOf(stored: unknown): WorkflowConfig {
  return workflowConfig.parse(stored);
}
