import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { contentParts } from './content.ts';
import { input, needed, placed, required } from './field.ts';
import { publishedDeploymentId } from './ids.ts';
import { flag, id, integer, json, list, object, textOf } from './kinds.ts';
import { meta } from './meta.ts';
import { jsonSchema, toolName } from './tools.ts';
import { oneShotVariables, startVariables, variables } from './variables.ts';

const triggerRule = z.string().check(z.minLength(1, 'must not be empty: leave it out to start without a trigger'));

const triggerId = (says: string, note?: string) =>
  placed({ idOf: 'Trigger' }, textOf(triggerRule, { says, bounds: { minLength: 1 }, ...(note && { note }) }));

export const historyLimit = (from: string) =>
  integer({
    says: 'Earlier message pairs that the model receives',
    least: 0,
    most: LIMITS.historyLimit,
    form: `Default: the history limit of the ${from}.`,
  });

const content = contentParts('The message of the user', 'Required without triggerId.');

const turnFields = {
  deploymentId: publishedDeploymentId,
  content,
  conversationId: id('Conversation', {
    says: 'The conversation to continue',
    note: 'Omit it to start a new one.',
  }),
  variables: variables('Only with the first message.'),
  variablesByName: startVariables,
  meta,
  historyLimit: historyLimit('workflow'),
  triggerId: triggerId(
    'Starts from this trigger',
    'The trigger supplies omitted fields. With conversationId, it must be the trigger that started that conversation.',
  ),
};

/** The fields of a message without a conversation. */
export const ONE_SHOT_FIELDS = {
  content,
  variables: variables(),
  triggerId: triggerId('A trigger that supplies omitted fields'),
};

export const RUN_ONCE = input('RunOnceInput', 'A message without a conversation.', {
  deploymentId: publishedDeploymentId,
  ...ONE_SHOT_FIELDS,
  variablesByName: oneShotVariables,
});

export const background = flag(
  {
    says: 'True: return as soon as the turn is accepted, with a `StartedTurn`',
    note: '`turnEvents` shows the turn. A second request with the same idempotency key and without it waits for the outcome.',
  },
  false,
);

export const prefer = placed(
  { internal: true },
  textOf(z.string(), {
    says: 'The header Prefer',
    note: '`respond-async` sets `background`.',
    // A header can have only these characters.
    bounds: { pattern: '^[\\x20-\\x7e]*$' },
  }),
);

export const SEND_MESSAGE = input('SendMessageInput', 'A message of ordinary chat (v1).', {
  ...turnFields,
  background: placed({ inRest: false }, background),
  prefer,
});

const DYNAMIC_TOOL = input('DynamicToolInput', 'A client tool that the request defines.', {
  name: required(toolName()),
  inputSchema: required(jsonSchema('The arguments. ')),
});

const isOneOf = true;

export const CLIENT_CAPABILITY = input(
  'ClientCapabilityInput',
  'A connected client tool: exactly one of the fields.',
  {
    name: textOf(z.string(), { says: 'The name of a client tool of the workflow', note: 'Other names are ignored.' }),
    tool: object(DYNAMIC_TOOL, 'A tool that the request defines'),
  },
  { isOneOf },
);

export const clientCapabilities = (says: string, note: string) =>
  list(CLIENT_CAPABILITY, {
    says,
    note,
    most: LIMITS.clientCapabilities,
    noun: 'tools',
    bounds: { maxItems: LIMITS.clientCapabilities, uniqueItems: true },
  });

export const TOOL_RESULT = input('ToolResultInput', 'The result of a pending call.', {
  callId: required(textOf(z.string(), { says: 'The ID of the pending call' })),
  output: needed(
    json(z.unknown(), {
      says: `A JSON object, in the form that the tool expects: at most ${formatBytes(LIMITS.toolOutputBytes)}`,
      bounds: { type: 'object', additionalProperties: true },
    }),
  ),
});

const toolResults = (says: string, note?: string) =>
  list(TOOL_RESULT, { says, most: LIMITS.toolResults, noun: 'results', ...(note && { note }) });

export const RUN_AGENT_TURN = input('RunAgentTurnInput', 'A turn of an agent conversation (v2).', {
  ...turnFields,
  startIfMissing: flag(
    {
      says: 'True: if there is no conversation with the ID `conversationId`, the turn starts it',
      note: 'Choose a random UUID. `variables` and `meta` apply to the start only. Not with `triggerId`.',
    },
    false,
  ),
  clientCapabilities: clientCapabilities('Connected client tools', 'Omit it if no tool is connected.'),
  background,
  prefer,
  toolResults: placed(
    { internal: true },
    toolResults(
      'Makes the turn a resume: one result for each pending call, {bounds}',
      'Needs conversationId and no content.',
    ),
  ),
});

export const RESUME_AGENT_TURN = input('ResumeAgentTurnInput', 'The results of all pending calls of a conversation.', {
  deploymentId: publishedDeploymentId,
  conversationId: required(id('Conversation', 'The ID of the waiting conversation')),
  toolResults: required(toolResults('One result for each pending call')),
  historyLimit: historyLimit('run'),
  clientCapabilities: clientCapabilities(
    'Client tools that are connected from now on',
    'Default: the client tools of the run.',
  ),
  background: flag('True: return as soon as the results are accepted, with a `StartedTurn`', false),
});
