/** The limits of model steps and of turns. A part of `LIMITS`: read them from there. */
export const MODEL_LIMITS = {
  /** Tool calls of one model step. The model gets an error for each further call. */
  stepCalls: 32,
  /** Characters of the arguments of all calls of a model step, with the provider's own data. The calls of a longer one fail. */
  callsLength: 1024 * 1024,
  /** Model steps per round that can call tools. */
  modelSteps: 16,
  /** Turns of a test of a draft. The caller sends them with each turn. */
  draftTurns: 50,
  /** Model steps of one turn of a test that the caller sends. */
  draftSteps: 100,
  /** Tool calls of one step of a test that the caller sends. */
  draftCalls: 128,
  /** Characters of a tool's name in a test that the caller sends. A model can call a tool that does not exist. */
  draftToolNameLength: 512,
  /** Least tokens that a limit of replies can leave the model. */
  leastReplyTokens: 256,
  /** Tokens that the model can write in one step, if a workflow limits them. */
  replyTokens: 128_000,
  /** Tokens that the model can write in one step under a budget, if the workflow does not limit them. */
  budgetReplyTokens: 4_096,
  /** Least tokens of the context at which a conversation is summarized. */
  leastContextTokens: 8_000,
  /** Most tokens of the context at which a conversation is summarized. */
  contextTokens: 1_000_000,
  /** Items after the newest summary that the model receives. A conversation with more is summarized first. */
  contextItems: 2_000,
  /** Bytes of inline files after the newest summary, as base64. A conversation with more is summarized first. */
  contextInlineBytes: 32 * 1024 * 1024,
  /** Characters of a workflow's instructions for summaries. */
  summaryInstructionsLength: 10_000,
  /** Bytes of a summary as UTF-8. */
  summaryBytes: 32_000,
  /** Files whose IDs are added to a summary that left them out. */
  summaryFiles: 50,
  /** Tokens that the model can write for a summary. */
  summaryTokens: 8_192,
  /** Model steps that one summary can take. A conversation that needs more is not summarized. */
  summaryParts: 40,
  /** Highest temperature of a model. */
  temperature: 2,
  /** Texts that end a reply. OpenAI takes four. */
  stopSequences: 4,
  /** Characters of a text that ends a reply. */
  stopSequenceLength: 100,
  /** Parameters that a workflow adds to the requests of a provider. */
  modelParameters: 32,
  /** Bytes of these parameters as JSON. */
  modelParametersBytes: 4 * 1024,
  /** Levels of these parameters: objects and lists in each other. */
  modelParameterLevels: 5,
  /** Models of a provider that a list shows. */
  offeredModels: 1_000,
  /** Bytes of a provider's list of its models. */
  offeredModelsBytes: 2 * 1024 * 1024,
  /** Tokens that the model can write in a test of a model: those that reason need some before they answer. */
  modelTestTokens: 1_024,
  /** Seconds that a test of a model can take. */
  modelTestSeconds: 60,
  /** Characters of the answer that a test of a model shows. */
  modelTestLength: 2_000,
  /** Seconds that a model step can take. */
  timeoutSeconds: 600,
  /** Seconds that a model step can take by default. */
  defaultTimeoutSeconds: 120,
  /** Messages of one conversation that wait for the running turn. */
  queuedTurns: 10,
  /** Background turns of an environment that wait for others to end. */
  queuedRuns: 1_000,
  /** Background turns of an environment that run at once by default. */
  defaultBackgroundRuns: 100,
  /** Processes that can run one turn, if each dies: the highest value that can be set. */
  turnAttempts: 10,
  /** Processes that can run one turn by default. */
  defaultTurnAttempts: 3,
  /** Budgets of an environment. */
  environmentBudgets: 2_000,
  /** Tokens of a budget. */
  budgetTokens: 1_000_000_000_000,
  /** Characters of the name of a time zone. */
  timeZoneLength: 64,
  /** Turns that wait for the same budget before new ones are refused. */
  budgetWaits: 1_000,
  /** Days until the question whether to raise a budget expires, by default. */
  raiseDays: 7,
} as const;
