import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import {
  CONTEXT_POLICIES,
  HANDLING_EXPIRIES,
  REASONING_EFFORTS,
  REASONING_MODES,
  RECOVERY_MODES,
  TOOL_AVAILABILITIES,
} from '../contract/statuses.ts';
import { COMPLETION_TOOL, RESOURCE_TOOLS } from '../contract/tool-names.ts';
import { HTTP_ACTION, MCP_SERVER, TOOL_APPROVAL } from './actions.ts';
import { DEADLINE_FIELDS } from './deadlines.ts';
import { input, required } from './field.ts';
import { anyObject, choice, choices, flag, integer, list, map, number, text, textOf, texts } from './kinds.ts';
import { modelName } from './names.ts';
import { jsonSchema, toolDescription, toolName } from './tools.ts';

export const CLIENT_TOOL = input('ClientToolInput', 'A tool that the client runs.', {
  name: required(toolName(`Names are unique. ${COMPLETION_TOOL} is not allowed.`)),
  description: toolDescription,
  availability: choice('When the model can call it', TOOL_AVAILABILITIES, 'when_connected'),
  inputSchema: jsonSchema('The arguments. '),
  ...DEADLINE_FIELDS,
});

const form = 'Default: an empty list.';

const { rule: stopSequence } = required(text({ says: 'A text', most: LIMITS.stopSequenceLength }));

/** The settings of a draft and of a version that are one value. */
export const DRAFT_FORM = {
  instructions: {
    ...text({
      title: 'Instructions',
      says: 'The system prompt, {bounds}',
      note: '{{NAME}} is replaced with a variable of the conversation.',
      most: LIMITS.instructionsLength,
      canBeBlank: true,
      form: 'Default: empty.',
    }),
    byDefault: '',
  },
  model: textOf(modelName, {
    title: 'Model',
    says: 'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME',
    without: 'the default model of the service',
  }),
  outputSchema: { ...jsonSchema('', 'Default: replies are text.'), title: 'Output schema' },
  allowConversationCompletion: flag(
    { title: 'Let the model complete conversations', says: 'Whether the model can complete the conversation' },
    false,
  ),
  allowHandOver: flag(
    {
      title: 'Let the model hand over to a person',
      says: 'Whether the model can ask for a person, with hand_over',
      note: 'It does so if the user wants a person, or if it cannot help.',
    },
    false,
  ),
  handOverAfterFailures: integer({
    title: 'Hand over after failed turns',
    says: 'Failed turns in a row after which a conversation waits for a person',
    without: 'failed turns do not hand over',
    most: LIMITS.handOverFailures,
    byDefault: null,
  }),
  handOverAfterBadRating: flag(
    {
      title: 'Hand over after a bad rating',
      says: 'Whether a conversation waits for a person after its user has rated a reply DOWN',
    },
    false,
  ),
  handOverWaitMinutes: integer({
    title: 'Wait for a person in minutes',
    says: 'Minutes that a conversation waits for a person',
    most: LIMITS.handOverWaitMinutes,
    byDefault: LIMITS.defaultHandOverWaitMinutes,
  }),
  handOverExpiry: choice(
    {
      title: 'If nobody comes',
      says: 'What happens to a conversation that no person took over in time',
      note: 'RETURN: the assistant answers the messages that came meanwhile. KEEP: it keeps waiting.',
    },
    HANDLING_EXPIRIES,
    'return',
  ),
  titleModel: flag(
    { title: 'Generate titles', says: 'Whether the model names a conversation after its first reply' },
    false,
  ),
  reasoning: choice(
    {
      title: 'Reasoning',
      says: 'Whether clients get the reasoning of the model',
      note: 'It can repeat the instructions.',
    },
    REASONING_MODES,
    'off',
  ),
  reasoningEffort: choice(
    {
      title: 'Reasoning effort',
      says: 'How long the model thinks before it replies',
      note: 'Models that cannot think fail with it.',
      without: "the default of the model's provider",
    },
    REASONING_EFFORTS,
  ),
  maxReplyTokens: integer({
    title: 'Reply limit in tokens',
    says: 'Tokens that the model can write in one step, with its reasoning',
    note: 'A reply that reaches them ends there.',
    without: 'the limit of the model',
    least: LIMITS.leastReplyTokens,
    most: LIMITS.replyTokens,
    byDefault: null,
  }),
  temperature: number({
    title: 'Temperature',
    says: 'How much the replies vary',
    note: 'Models of Anthropic take at most 1, and models that reason ignore it.',
    without: "the default of the model's provider",
    least: 0,
    most: LIMITS.temperature,
    byDefault: null,
  }),
  stopSequences: {
    ...texts(stopSequence, {
      title: 'Stop sequences',
      says: `Texts of at most ${LIMITS.stopSequenceLength} characters that end a reply before them, {bounds}`,
      form,
      most: LIMITS.stopSequences,
      noun: 'texts',
    }),
    isByLine: true,
  } as const,
  modelParameters: map(anyObject, {
    title: 'Model parameters',
    says: `Parameters that are added to each request of a model step, by their names in the API of the provider: at most ${LIMITS.modelParameters}, and ${formatBytes(LIMITS.modelParametersBytes)} of JSON`,
    note: 'The provider of the model must have them.',
    without: 'no parameters are added',
  }),
  timeoutSeconds: integer({
    title: 'Timeout in seconds',
    says: 'Time limit of one model step in seconds',
    most: LIMITS.timeoutSeconds,
    byDefault: LIMITS.defaultTimeoutSeconds,
  }),
  context: choice(
    {
      title: 'Context',
      says: 'What the model receives of the conversation, unless the turn sends a history limit',
    },
    CONTEXT_POLICIES,
    'window',
  ),
  contextTokens: integer({
    title: 'Context limit in tokens',
    says: 'With the context COMPACT: tokens of a model step after which the conversation is summarized',
    without: 'three quarters of the context of the model',
    least: LIMITS.leastContextTokens,
    most: LIMITS.contextTokens,
    byDefault: null,
  }),
  summaryModel: textOf(modelName, {
    title: 'Model of summaries',
    says: 'The model that writes the summaries: demo, openai:NAME, anthropic:NAME or openai-compatible:NAME',
    without: 'the model of the workflow',
  }),
  summaryInstructions: text({
    title: 'Instructions for summaries',
    says: 'The system prompt of a summary, {bounds}',
    most: LIMITS.summaryInstructionsLength,
    without: 'instructions of the service',
  }),
  allowFileReading: flag(
    {
      title: 'Let the model open summarized files',
      says: 'With the context COMPACT: whether the model can open the files again that a summary names, with read_file',
    },
    true,
  ),
  historyLimit: integer({
    title: 'History limit',
    says: 'With the context WINDOW: earlier message pairs that the model receives, unless the turn sends a history limit',
    least: 0,
    most: LIMITS.historyLimit,
    byDefault: LIMITS.defaultHistoryLimit,
  }),
  maxSteps: integer({
    title: 'Max steps',
    says: 'Model steps per round that can call tools',
    note: 'After them the model must reply.',
    most: LIMITS.modelSteps,
    byDefault: LIMITS.modelSteps,
  }),
  recovery: choice(
    {
      title: 'If a process dies',
      says: 'What happens to a turn whose process dies',
      note: 'Background turns are always continued.',
    },
    RECOVERY_MODES,
    'settle',
  ),
  maxAttempts: integer({
    title: 'Max attempts',
    says: 'Processes that run one turn, if each dies',
    note: 'Then the turn fails.',
    least: 2,
    most: LIMITS.turnAttempts,
    byDefault: LIMITS.defaultTurnAttempts,
  }),
};

/** The parts of a draft that are lists. */
export const DRAFT_LISTS = {
  clientTools: list(CLIENT_TOOL, {
    title: 'Client tools',
    says: 'All client tools of the workflow, {bounds}',
    form,
    most: LIMITS.clientTools,
    noun: 'tools',
  }),
  httpActions: list(HTTP_ACTION, {
    title: 'HTTP actions',
    says: 'All HTTP actions of the workflow, {bounds}',
    form,
    most: LIMITS.httpActions,
    noun: 'actions',
  }),
  mcpServers: list(MCP_SERVER, {
    title: 'MCP servers',
    says: 'All MCP servers of the workflow, {bounds}',
    form,
    most: LIMITS.mcpServers,
    noun: 'servers',
  }),
  resourceTools: choices({ title: 'Resource tools', says: 'The enabled tools', form }, RESOURCE_TOOLS, {
    eachOnce: true,
  }),
  toolApprovals: list(TOOL_APPROVAL, {
    title: 'Approvals of single tools',
    says: 'Approvals of single tools, {bounds}: of MCP servers, and for resources',
    note: 'They take precedence over the approval of an action or server.',
    form,
    most: LIMITS.toolApprovals,
    noun: 'tools',
  }),
};
