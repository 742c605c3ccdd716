/** Sizes and counts that the service refuses to exceed (SPEC 8, WIRE 1). Lengths are in UTF-16 units. */
export const LIMITS = {
  /** Bytes of a request body. */
  bodyBytes: 10 * 1024 * 1024,
  contentParts: 64,
  textLength: 200_000,
  fileUriLength: 8_192,
  mimeTypeLength: 255,
  /** Bytes of one inline part once decoded. */
  inlineBytes: 8 * 1024 * 1024,
  variables: 100,
  keyLength: 64,
  variableLength: 10_000,
  metaKeys: 50,
  metaLength: 512,
  searchLength: 200,
  historyLimit: 100,
  defaultHistoryLimit: 5,
  pageSize: 100,
  defaultPageSize: 20,
  /** Highest page number: keeps `page × page_size` an offset that every database accepts. */
  page: 10_000_000,
  nameLength: 60,
  requestIdLength: 128,
  clientCapabilities: 64,
  /** Client tools of one workflow. */
  clientTools: 64,
  toolDescriptionLength: 2_000,
  /** HTTP actions of one workflow. */
  httpActions: 32,
  /** MCP servers of one workflow. */
  mcpServers: 8,
  /** Tools of one MCP server that are offered. */
  mcpTools: 64,
  mcpToolNameLength: 128,
  /** Longest that one action may take. */
  actionSeconds: 60,
  defaultActionSeconds: 15,
  /** Bytes of a server's answer to an action, decompressed. */
  actionAnswerBytes: 1024 * 1024,
  /** What the model is told of an answer, as JSON. */
  actionOutputLength: 32_000,
  /** Of a workflow or a deployment. */
  workflowNameLength: 100,
  instructionsLength: 100_000,
  /** Steps of one round in which the model may call tools (WIRE 7). */
  modelSteps: 16,
  /** Longest that one model step may take. */
  timeoutSeconds: 600,
  /** Messages of one conversation that wait for the turns before them. */
  queuedTurns: 10,
  /** The highest rate that can be set, and the most turns at once. */
  ratePerMinute: 1_000_000,
  concurrentRuns: 100_000,
  /** Streams that one API key has open at one process. */
  streamsOfKey: 10_000,
  /** The same of a session, or of an address without credentials. */
  streamsOfPerson: 100,
  /** Operations that one stream carries. */
  operationsOfStream: 50,
  /** Hosts of one deployment. */
  allowlist: 100,
  /** Deployments that one publication names. */
  publishedDeployments: 100,
  toolResults: 64,
  /** Bytes of one output as JSON. */
  toolOutputBytes: 1024 * 1024,
  /** Days that one report of usage may span. */
  usageDays: 366,
  /** Ten years: longest that retention may be set to. */
  retentionDays: 3_650,
  triggerIdLength: 8,
  uiSurfaceLength: 64,
  /** A year. */
  ttlHours: 8_760,
  defaultTtlHours: 24,
  /** Bytes of a resource's fields as JSON. */
  resourceBytes: 256 * 1024,
  /** Levels of a resource's fields: the object itself is the first. */
  resourceLevels: 20,
  /** Of an address that a workspace writes down. */
  addressLength: 2_048,
  /** Of a person. */
  personNameLength: 100,
  emailLength: 254,
  /** In one environment. */
  webhookEndpoints: 20,
  webhookDescriptionLength: 500,
  integrationNameLength: 100,
  integrationHeaders: 20,
  headerNameLength: 128,
  headerValueBytes: 4_096,
} as const;

/** What a resource's type may look like: a word of the client's own. */
export const RESOURCE_TYPE_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;
