import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes, formatCount } from '../../../contract/quantities.ts';
import { COMPLETION_TOOL } from '../../../contract/tool-names.ts';
import { type WorkflowConfig, workflowConfig } from '../../../domain/workflows/config.ts';
import { builder } from '../builder.ts';
import { ReasoningEffortEnum, ReasoningModeEnum, RecoveryModeEnum, ToolAvailabilityEnum } from '../enums.ts';
import { deadlineFields, deadlineInputs } from './call-deadlines.ts';
import { actionInputs, HttpActionObject, McpServerObject, ResourceToolEnum } from './workflow-actions.ts';
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

export const WorkflowConfigObject = builder.objectRef<WorkflowConfig>('WorkflowConfig').implement({
  description: 'The configuration of an assistant, in a draft or a version.',
  fields: (t) => ({
    instructions: t.exposeString('instructions', {
      description: 'The system prompt. {{NAME}} is replaced with a variable of the conversation.',
    }),
    model: t.string({
      nullable: true,
      description: 'demo or provider:name. Null: the default model of the service.',
      resolve: ({ model }) => model ?? null,
    }),
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
    allowConversationCompletion: t.exposeBoolean('allowConversationCompletion', {
      description: 'Whether the model can complete the conversation.',
    }),
    titleModel: t.exposeBoolean('titleModel', {
      description: 'Whether the model names a conversation after its first reply.',
    }),
    reasoning: t.expose('reasoning', {
      type: ReasoningModeEnum,
      description: 'Whether clients get the reasoning of the model.',
    }),
    reasoningEffort: t.field({
      type: ReasoningEffortEnum,
      nullable: true,
      description: "How long the model thinks before it replies. Null: the default of the model's provider.",
      resolve: ({ reasoningEffort }) => reasoningEffort ?? null,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Time limit of one model step in seconds.' }),
    historyLimit: t.exposeInt('historyLimit', {
      description: 'Earlier message pairs that the model receives, unless the turn sends a history limit.',
    }),
    maxSteps: t.exposeInt('maxSteps', {
      description: 'Model steps per round that can call tools. After them the model must reply.',
    }),
    recovery: t.expose('recovery', {
      type: RecoveryModeEnum,
      description: 'What happens to a turn whose process dies. Background turns are always continued.',
    }),
    maxAttempts: t.exposeInt('maxAttempts', {
      description: 'Processes that run one turn, if each dies. Then the turn fails.',
    }),
  }),
});

/** A stored configuration with its defaults filled in. */
export function configOf(stored: unknown): WorkflowConfig {
  return workflowConfig.parse(stored);
}

const ClientToolInput = builder.inputType('ClientToolInput', {
  description: 'A tool that the client runs.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.toolNameLength} letters, digits, _ or -, starting with a letter. Names are unique. ${COMPLETION_TOOL} is not allowed.`,
    }),
    description: t.string({
      description: `The description for the model, at most ${formatCount(LIMITS.toolDescriptionLength)} characters.`,
    }),
    availability: t.field({
      type: ToolAvailabilityEnum,
      description: 'When the model can call it. Default: WHEN_CONNECTED.',
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      description: `The arguments. A JSON Schema of type object: at most ${formatBytes(LIMITS.schemaBytes)}, without external references.`,
    }),
    ...deadlineInputs(t),
  }),
});

export const WorkflowDraftInput = builder.inputType('WorkflowDraftInput', {
  description: 'Changes to a draft. Omitted fields keep their value. Null restores the default.',
  fields: (t) => ({
    instructions: t.string({
      description: `The system prompt, at most ${formatCount(LIMITS.instructionsLength)} characters. Default: empty.`,
    }),
    model: t.string({
      description:
        'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME. Default: the default model of the service.',
    }),
    outputSchema: t.field({
      type: 'JSONObject',
      description: `A JSON Schema of type object: at most ${formatBytes(LIMITS.schemaBytes)}, without external references. Default: replies are text.`,
    }),
    clientTools: t.field({
      type: [ClientToolInput],
      description: `All client tools of the workflow, at most ${LIMITS.clientTools}. Default: an empty list.`,
    }),
    ...actionInputs(t),
    allowConversationCompletion: t.boolean({
      description: 'Whether the model can complete the conversation. Default: false.',
    }),
    titleModel: t.boolean({
      description: 'Whether the model names a conversation after its first reply. Default: false.',
    }),
    reasoning: t.field({
      type: ReasoningModeEnum,
      description: 'Whether clients get the reasoning of the model. It can repeat the instructions. Default: OFF.',
    }),
    reasoningEffort: t.field({
      type: ReasoningEffortEnum,
      description:
        "How long the model thinks before it replies. Models that cannot think fail with it. Default: the default of the model's provider.",
    }),
    timeoutSeconds: t.int({
      description: `Time limit of one model step in seconds: 1 to ${LIMITS.timeoutSeconds}. Default: ${LIMITS.defaultTimeoutSeconds}.`,
    }),
    historyLimit: t.int({
      description: `Earlier message pairs that the model receives, unless the turn sends a history limit: 0 to ${LIMITS.historyLimit}. Default: ${LIMITS.defaultHistoryLimit}.`,
    }),
    maxSteps: t.int({
      description: `Model steps per round that can call tools: 1 to ${LIMITS.modelSteps}. Default: ${LIMITS.modelSteps}.`,
    }),
    recovery: t.field({
      type: RecoveryModeEnum,
      description: 'What happens to a turn whose process dies. Background turns are always continued. Default: SETTLE.',
    }),
    maxAttempts: t.int({
      description: `Processes that run one turn, if each dies: 2 to ${LIMITS.turnAttempts}. Then the turn fails. Default: ${LIMITS.defaultTurnAttempts}.`,
    }),
  }),
});
