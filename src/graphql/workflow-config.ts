import { type WorkflowConfig, workflowConfig } from '../domain/workflows/config.ts';
import { builder } from './builder.ts';
import { ToolAvailabilityEnum } from './enums.ts';
import { actionInputs, HttpActionObject, McpServerObject, ResourceToolEnum } from './workflow-actions.ts';

const ClientTool = builder.objectRef<WorkflowConfig['clientTools'][number]>('ClientTool').implement({
  description: 'A tool that runs in the client, and that the model may call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the model calls it, and the client advertises.' }),
    description: t.exposeString('description', {
      description: 'What the model is told of it; may be empty. Built-in tools have words of their own.',
    }),
    availability: t.expose('availability', { type: ToolAvailabilityEnum, description: 'When it may be called.' }),
    inputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema of its arguments; null where any object will do.',
      resolve: ({ inputSchema }) => inputSchema ?? null,
    }),
  }),
});

export const WorkflowConfigObject = builder.objectRef<WorkflowConfig>('WorkflowConfig').implement({
  description: 'How an assistant is run: what a draft holds, and a version freezes.',
  fields: (t) => ({
    instructions: t.exposeString('instructions', {
      description: "What the model is told first. {{NAME}} is filled from the conversation's variables.",
    }),
    model: t.string({
      nullable: true,
      description: 'demo or provider:name; null for the default of the service.',
      resolve: ({ model }) => model ?? null,
    }),
    outputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema that every reply has to match; null where replies are text.',
      resolve: ({ outputSchema }) => outputSchema ?? null,
    }),
    clientTools: t.expose('clientTools', { type: [ClientTool], description: 'Tools that run in the client.' }),
    httpActions: t.expose('httpActions', {
      type: [HttpActionObject],
      description: 'Requests that the server makes for the model.',
    }),
    mcpServers: t.expose('mcpServers', {
      type: [McpServerObject],
      description: 'MCP servers whose tools the model may call.',
    }),
    resourceTools: t.expose('resourceTools', {
      type: [ResourceToolEnum],
      description: 'Built-in tools for the resources of the environment that a run acts in.',
    }),
    allowConversationCompletion: t.exposeBoolean('allowConversationCompletion', {
      description: 'Whether the model may complete the conversation.',
    }),
    titleModel: t.exposeBoolean('titleModel', {
      description: 'Whether the model names a conversation after its first reply.',
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Longest that one model step may take.' }),
    historyLimit: t.exposeInt('historyLimit', {
      description: 'Earlier message pairs that the model is given where a turn sends no history limit.',
    }),
    maxSteps: t.exposeInt('maxSteps', {
      description: 'Steps of one round in which the model may call tools; after them it has to answer.',
    }),
  }),
});

/** A config as it is stored, what it leaves out put in. */
export function configOf(stored: unknown): WorkflowConfig {
  return workflowConfig.parse(stored);
}

const ClientToolInput = builder.inputType('ClientToolInput', {
  description: 'A tool that runs in the client.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        '1 to 64 letters, digits, _ or -, beginning with a letter; each name once, and not complete_conversation.',
    }),
    description: t.string({ description: 'What the model is told of it: at most 2,000 characters.' }),
    availability: t.field({
      type: ToolAvailabilityEnum,
      description: 'When it may be called: by default when_connected.',
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      description:
        'JSON Schema of its arguments, of type object: at most 16 KiB, without pattern and foreign references.',
    }),
  }),
});

export const WorkflowDraftInput = builder.inputType('WorkflowDraftInput', {
  description: 'A change of a draft: a field that is given replaces what is there, and null puts its default back.',
  fields: (t) => ({
    instructions: t.string({ description: 'At most 100,000 characters; by default empty.' }),
    model: t.string({
      description: 'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME; by default that of the service.',
    }),
    outputSchema: t.field({
      type: 'JSONObject',
      description:
        'JSON Schema of type object: at most 16 KiB, without pattern and foreign references; by default none.',
    }),
    clientTools: t.field({ type: [ClientToolInput], description: 'All of them, at most 64; by default none.' }),
    ...actionInputs(t),
    allowConversationCompletion: t.boolean({
      description: 'Whether the model may complete the conversation; by default not.',
    }),
    titleModel: t.boolean({
      description: 'Whether the model names a conversation after its first reply; by default not.',
    }),
    timeoutSeconds: t.int({ description: 'Longest that one model step may take: 1 to 600, by default 120.' }),
    historyLimit: t.int({
      description: 'Earlier message pairs where a turn sends no history limit: 0 to 100, by default 5.',
    }),
    maxSteps: t.int({
      description: 'Steps of one round in which the model may call tools: 1 to 16, by default 16.',
    }),
  }),
});
