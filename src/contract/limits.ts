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
  /** Of a workflow or a deployment. */
  workflowNameLength: 100,
  instructionsLength: 100_000,
  /** Steps of one round in which the model may call tools (WIRE 7). */
  modelSteps: 16,
  /** Longest that one model step may take. */
  timeoutSeconds: 600,
  /** Hosts of one deployment. */
  allowlist: 100,
  /** Deployments that one publication names. */
  publishedDeployments: 100,
  toolResults: 64,
  /** Bytes of one output as JSON. */
  toolOutputBytes: 1024 * 1024,
  /** Days that one report of usage may span. */
  usageDays: 366,
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
