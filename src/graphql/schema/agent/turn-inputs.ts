import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/quantities.ts';
import { builder, type InputFields } from '../builder.ts';
import { ContentPartInput } from '../content.ts';
import type { DeclaredErrors } from '../mutation.ts';
import { variableList, variableObject } from '../variables.ts';
import { RESUME_ERRORS } from './turn-errors.ts';

const ToolResultInput = builder.inputType('ToolResultInput', {
  description: 'The result of a pending call.',
  fields: (t) => ({
    callId: t.string({ required: true, description: 'The ID of the pending call.' }),
    output: t.field({
      type: 'JSON',
      description: `A JSON object, in the form that the tool expects: at most ${formatBytes(LIMITS.toolOutputBytes)}. Required.`,
    }),
  }),
});

export const DEPLOYMENT_ID = {
  type: 'UUID',
  required: true,
  description: 'The ID of a published deployment of the workspace.',
} as const;

const FIRST_ONLY = 'Only with the first message.';

const LINKED = 'With conversationId, it must be the trigger that started that conversation.';

const turnFields = (t: InputFields) => ({
  deploymentId: t.field(DEPLOYMENT_ID),
  content: t.field({
    type: [ContentPartInput],
    description: `The message of the user: 1 to ${LIMITS.contentParts} parts. Required without triggerId.`,
  }),
  conversationId: t.field({ type: 'UUID', description: 'The conversation to continue. Omit it to start a new one.' }),
  variables: variableList(t, FIRST_ONLY),
  variablesByName: variableObject(
    t,
    `Strings by name, for the instructions: at most ${LIMITS.variables}. ${FIRST_ONLY}`,
  ),
  meta: t.field({
    type: 'JSONObject',
    description: `Searchable labels: strings, numbers or booleans by name, at most ${LIMITS.metaKeys}. ${FIRST_ONLY}`,
  }),
  historyLimit: t.int({
    description: `Earlier message pairs that the model receives: 0 to ${LIMITS.historyLimit}. Default: the history limit of the workflow.`,
  }),
  triggerId: t.string({
    description: `Starts from this trigger. The trigger supplies omitted fields. ${LINKED}`,
  }),
});

/** The fields of a message without a conversation. */
export const oneShotFields = (t: InputFields) => ({
  content: t.field({
    type: [ContentPartInput],
    description: `The message of the user: 1 to ${LIMITS.contentParts} parts. Required without triggerId.`,
  }),
  variables: variableList(t),
  triggerId: t.string({ description: 'A trigger that supplies omitted fields.' }),
});

export const RunOnceInput = builder.inputType('RunOnceInput', {
  description: 'A message without a conversation.',
  fields: (t) => ({
    deploymentId: t.field(DEPLOYMENT_ID),
    ...oneShotFields(t),
    variablesByName: variableObject(
      t,
      `Strings, numbers or booleans by name, for the instructions: at most ${LIMITS.variables}. Numbers and booleans are inserted as text.`,
    ),
  }),
});

const backgroundField = (t: InputFields, inRest?: false) => ({
  background: t.boolean({
    ...(inRest === false && { inRest }),
    description:
      'True: return as soon as the turn is accepted, with a `StartedTurn`. `turnEvents` shows the turn. A second request with the same idempotency key and without it waits for the outcome. Default: false.',
  }),
  prefer: t.string({ internal: true, description: 'The header Prefer. `respond-async` sets `background`.' }),
});

export const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message of ordinary chat (v1).',
  fields: (t) => ({ ...turnFields(t), ...backgroundField(t, false) }),
});

const DynamicToolInput = builder.inputType('DynamicToolInput', {
  description: 'A client tool that the request defines.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.toolNameLength} letters, digits, _ or -, starting with a letter.`,
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      required: true,
      description: `The arguments. A JSON Schema of type object: at most ${formatBytes(LIMITS.schemaBytes)}, without external references.`,
    }),
  }),
});

const ClientCapabilityInput = builder.inputType('ClientCapabilityInput', {
  isOneOf: true,
  description: 'A connected client tool: exactly one of the fields.',
  fields: (t) => ({
    name: t.string({ description: 'The name of a client tool of the workflow. Other names are ignored.' }),
    tool: t.field({ type: DynamicToolInput, description: 'A tool that the request defines.' }),
  }),
});

const CAPABILITIES = `Connected client tools: at most ${LIMITS.clientCapabilities}. Omit it if no tool is connected.`;

export const RunAgentTurnInput = builder.inputType('RunAgentTurnInput', {
  description: 'A turn of an agent conversation (v2).',
  fields: (t) => ({
    ...turnFields(t),
    startIfMissing: t.boolean({
      description:
        'True: if there is no conversation with the ID `conversationId`, the turn starts it. Choose a random UUID. `variables` and `meta` apply to the start only. Not with `triggerId`. Default: false.',
    }),
    clientCapabilities: t.field({ type: [ClientCapabilityInput], description: CAPABILITIES }),
    ...backgroundField(t),
    toolResults: t.field({
      type: [ToolResultInput],
      internal: true,
      extensions: { errors: RESUME_ERRORS } satisfies DeclaredErrors,
      description: 'Makes the turn a resume: one result for each pending call. Needs conversationId and no content.',
    }),
  }),
});

export const ResumeAgentTurnInput = builder.inputType('ResumeAgentTurnInput', {
  description: 'The results of all pending calls of a conversation.',
  fields: (t) => ({
    deploymentId: t.field(DEPLOYMENT_ID),
    conversationId: t.field({ type: 'UUID', required: true, description: 'The ID of the waiting conversation.' }),
    toolResults: t.field({ type: [ToolResultInput], required: true, description: 'One result for each pending call.' }),
    historyLimit: t.int({
      description: `Earlier message pairs that the model receives: 0 to ${LIMITS.historyLimit}. Default: the history limit of the run.`,
    }),
    clientCapabilities: t.field({
      type: [ClientCapabilityInput],
      description: 'Client tools that are connected from now on. Default: the client tools of the run.',
    }),
    background: t.boolean({
      description: 'True: return as soon as the results are accepted, with a `StartedTurn`. Default: false.',
    }),
  }),
});
