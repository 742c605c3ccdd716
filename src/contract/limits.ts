import { ACCESS_LIMITS } from './access-limits.ts';
import { BODY_LIMITS } from './body-limits.ts';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import { FILE_LIMITS } from './file-limits.ts';
import { HANDLING_LIMITS } from './handling-limits.ts';
import { MODEL_LIMITS } from './model-limits.ts';

/**
 * Every size and count that the service enforces. Error messages, API descriptions and docs/limits.md
 * read the numbers from here. Lengths are UTF-16 code units. The comment of each key is its row in docs/limits.md.
 */
export const LIMITS = {
  ...BODY_LIMITS,
  /** Characters of a GraphQL document. */
  queryLength: 256 * 1024,
  /** Objects of one kind that the error of a refused deletion counts. */
  countedDependants: 1_000,
  /** Objects of one kind whose IDs the error of a refused deletion contains. */
  namedDependants: 5,
  /** Items of any list in a request. */
  listItems: 1_000,
  /** Characters of an `x-request-id`. A longer one is replaced. */
  requestIdLength: 128,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyLength: 255,
  /** Characters of what an MCP client names and the service repeats: the ID of a request or task, a progress token, the name of a tool, a cursor. */
  mcpNameLength: 128,
  /** Characters of the words that a search of the schema takes. */
  schemaSearchLength: 200,
  /** Members of the schema that a search of it returns. */
  schemaSearchResults: 20,
  /** Characters of a page of a type's text. A single member can be longer. */
  schemaPageLength: 6_000,
  /** Hours for which the response to an `Idempotency-Key` is stored. */
  idempotencyHours: 24,
  /** Shortest `Idempotency-Key` of a caller without credentials, in characters. */
  anonymousKeyLength: 32,

  /** Parts of a message. */
  contentParts: 64,
  /** Characters of a text part. */
  textLength: 200_000,
  /** Characters of all text parts of a message. */
  messageTextLength: 1_000_000,
  /** Characters of a file URI. */
  fileUriLength: 8_192,
  /** Characters of a MIME type. */
  mimeTypeLength: 255,
  /** Bytes of an inline part after base64 decoding. */
  inlineBytes: 8 * 1024 * 1024,

  ...FILE_LIMITS,

  /** Variables of a conversation, trigger or one-shot run. */
  variables: 100,
  /** Characters of a key in `variables` and `meta`. */
  keyLength: 64,
  /** Characters of a variable. */
  variableLength: 10_000,
  /** Keys of `meta`. */
  metaKeys: 50,
  /** Characters of a string in `meta`. */
  metaLength: 512,
  /** Items that a fork copies, or an edit or another variant replaces. */
  forkItems: 10_000,
  /** Bytes that the database stores for the items that a fork copies. */
  forkBytes: 64 * 1024 * 1024,
  /** The same items for end users and callers without credentials. */
  strangerForkItems: 300,
  /** The same bytes for end users and callers without credentials. */
  strangerForkBytes: 16 * 1024 * 1024,
  /** Variants of a message that are listed: the latest ones. */
  variants: 100,
  /** Actions of replaced turns that an error and the prompt of the new turn list. */
  listedEffects: 50,
  /** Characters of the arguments of each of these actions in the prompt. */
  effectArgumentsLength: 500,
  /** Characters of a conversation's generated name. */
  nameLength: 60,
  /** Characters of a name that a client gives to a conversation. */
  conversationNameLength: 100,
  /** Characters of a search text. */
  searchLength: 200,
  /** Words of a full-text search. */
  searchWords: 16,
  /** Characters of a message that full-text search finds, from its start. */
  searchedLength: 50_000,
  /** Seconds that one statement of a search can take, on PostgreSQL. The embedded database has no limit. */
  searchSeconds: 5,
  /** Statuses or error codes of a conversation filter. */
  filterValues: 20,
  /** Whole numbers in a filter: the highest value of an int4 column. */
  filterNumber: 2_147_483_647,
  /** Cost in a filter: the highest that can be set. */
  filterCost: 1_000_000_000,
  /** Conversations of an exported search. */
  exportedConversations: 10_000,
  /** Saved views of a member in one environment. */
  savedViews: 20,
  /** Characters of the name of a saved view. */
  viewNameLength: 60,
  /** Characters of the filters and the order of a saved view, as a query string. */
  viewParametersLength: 2_000,

  /** Characters of the comment of a rating. */
  ratingCommentLength: 2_000,

  /** Bytes of a reply as UTF-8. A longer one is cut off, with the finish reason `length`. */
  replyBytes: 1024 * 1024,

  /** Bytes of the reasoning of a model step as UTF-8. Clients do not get the rest. */
  reasoningBytes: 256 * 1024,

  /** Characters of what a provider gets back with the calls of a step: reasoning and signatures. More is not stored. */
  stepMemoryLength: 512 * 1024,

  /** Bytes of a provider's response to a model step. Each token comes in an event of up to 500 bytes. */
  providerReplyBytes: 64 * 1024 * 1024,
  /** Characters of one event in a provider's response. */
  providerEventLength: 8 * 1024 * 1024,
  /** Bytes that are read of a provider's error. */
  providerErrorBytes: 64 * 1024,

  /** Earlier message pairs that the model receives. */
  historyLimit: 100,
  /** Earlier message pairs that the model receives by default. */
  defaultHistoryLimit: 5,
  /** Items of a page. The messages of a chat of the AI SDK are made of one page. */
  pageSize: 100,
  /** Items of a page by default. */
  defaultPageSize: 20,
  /** Nodes of one `_entities` query of a federation gateway. */
  entities: 500,
  /** Highest page number. It keeps `page × page_size` an offset that PostgreSQL accepts. */
  page: 10_000_000,

  /** Client tools that one request advertises. */
  clientCapabilities: 64,
  /** Client tools of a workflow. */
  clientTools: 64,
  /** Tool results of one request. */
  toolResults: 64,
  /** Bytes of a tool result's output as JSON. */
  toolOutputBytes: 1024 * 1024,
  ...HANDLING_LIMITS,
  ...MODEL_LIMITS,

  /** Bytes of a JSON Schema as JSON. */
  schemaBytes: 64 * 1024,
  /** Nesting levels of a JSON Schema, its root included. */
  schemaLevels: 32,
  /** Subschemas of a JSON Schema after every reference is replaced by its target. */
  subschemas: 2_000,

  /** Characters of the name of a workflow or deployment. */
  workflowNameLength: 100,
  /** Characters of a workflow's instructions. */
  instructionsLength: 100_000,
  /** Characters of the name of a client tool or action. */
  toolNameLength: 64,
  /** Characters of a tool's or action's description. */
  toolDescriptionLength: 2_000,
  /** HTTP actions of a workflow. */
  httpActions: 32,
  /** MCP servers of a workflow. */
  mcpServers: 8,
  /** Characters of an MCP server's name in a workflow. */
  mcpServerNameLength: 32,
  /** Approval rules of a workflow for single tools. */
  toolApprovals: 128,
  /** Seconds until a pending call expires: 30 days at most. */
  expirySeconds: 2_592_000,
  /** Characters of the reason of an approval or refusal. */
  approvalReasonLength: 1_000,
  /** Tools offered from one MCP server. */
  mcpTools: 64,
  /** Characters of a tool's name on an MCP server. */
  mcpToolNameLength: 128,
  /** Tools that the service reads from one MCP server. */
  mcpListedTools: 500,
  /** Pages of the tools of an MCP server that the service reads. */
  mcpListPages: 50,
  /** Seconds for which the list of an MCP server's tools is kept at least, whatever the server says. */
  mcpListLeastSeconds: 10,
  /** Seconds for which the list of an MCP server's tools is kept at most. */
  mcpListMostSeconds: 300,
  /** Reports of progress of a call of an MCP tool that its trace has. */
  mcpProgressReports: 32,
  /** Characters of an MCP server's error that the model receives. */
  mcpErrorLength: 2_000,
  /** Seconds that an action can take. */
  actionSeconds: 60,
  /** Seconds that an action can take by default. */
  defaultActionSeconds: 15,
  /** Bytes of a response to an action, after decompression. */
  actionAnswerBytes: 1024 * 1024,
  /** Characters of an action's response that the model receives, as JSON. */
  actionOutputLength: 32_000,
  /** Hosts on a deployment's allowlist, before duplicates are removed. */
  allowlist: 100,
  /** Characters of the name in a deployment's branding. */
  brandNameLength: 100,
  /** Bytes of a deployment's logo after base64 decoding. */
  logoBytes: 200 * 1024,
  /** Characters of a deployment's greeting. */
  greetingLength: 500,
  /** Suggested prompts of a deployment. */
  suggestedPrompts: 6,
  /** Characters of a suggested prompt. */
  suggestedPromptLength: 200,
  /** Characters of the text on the launcher of a deployment's widget. */
  launcherTextLength: 40,
  /** Deployments of one publication. */
  publishedDeployments: 100,

  /** Percent of a shared pool that one stranger gets: an end user, or the callers without credentials of one IP address. */
  strangerPercent: 10,
  /** Percent of a shared pool that all strangers together get. */
  strangersPercent: 75,

  /** Requests or turns per minute: the highest rate that can be set. */
  ratePerMinute: 1_000_000,
  /** Turns running at once: the highest value that can be set. */
  concurrentRuns: 100_000,
  /** Open streams per API key and process. */
  streamsOfKey: 10_000,
  /** Open streams per session and process. Without credentials: per IP address and process. */
  streamsOfPerson: 100,
  /** Open streams per process. */
  streamsOfProcess: 20_000,
  /** Operations on one stream. */
  operationsOfStream: 50,

  /** Characters of a trigger's ID. */
  triggerIdLength: 8,
  /** Characters of a trigger's `ui_surface`. */
  uiSurfaceLength: 64,
  /** Hours until a trigger expires (one year). */
  ttlHours: 8_760,
  /** Hours until a trigger expires by default. */
  defaultTtlHours: 24,

  /** Characters of a resource's type. */
  resourceTypeLength: 64,
  /** Bytes of a resource's fields as JSON. */
  resourceBytes: 256 * 1024,
  /** Nesting levels of a resource's fields, the root object included. */
  resourceLevels: 20,

  ...DOCUMENT_LIMITS,

  /** Characters of the URL of an integration or webhook endpoint. */
  addressLength: 2_048,
  /** Characters of an integration's name. */
  integrationNameLength: 100,
  /** Headers of an integration or HTTP action. */
  integrationHeaders: 20,
  /** Characters of a header's name. */
  headerNameLength: 128,
  /** Bytes of a header's value. */
  headerValueBytes: 4_096,
  /** Webhook endpoints of an environment. */
  webhookEndpoints: 20,
  /** Characters of a webhook endpoint's description. */
  webhookDescriptionLength: 500,
  /** Hours during which messages are also signed with a webhook endpoint's previous secret. */
  webhookSecretHours: 24,
  /** Days until a finished webhook delivery is deleted. */
  webhookDeliveryDays: 30,
  /** Bytes of a receiver's response that are stored. */
  webhookResponseBytes: 4 * 1024,
  /** Headers of a receiver's response that are stored. */
  webhookResponseHeaders: 50,
  /** Characters of such a header that are stored. */
  webhookResponseHeaderLength: 500,
  /** Deliveries that one replay of a period can queue. */
  webhookReplayDeliveries: 10_000,
  /** Latest attempts of a day that the health of a webhook endpoint counts. */
  webhookHealthAttempts: 1_000,

  ...ACCESS_LIMITS,

  /** Days that one report of usage or ratings can cover. */
  usageDays: 366,
  /** Price per 1M tokens: the highest that can be set. */
  pricePerMillion: 1_000_000,
  /** Characters of a model name in a price. */
  priceModelLength: 300,
  /** Days of retention: the longest that can be set (ten years). */
  retentionDays: 3_650,
  /** Days for which traces are kept: the longest that can be set. */
  traceDays: 365,
  /** Days for which traces are kept by default. */
  defaultTraceDays: 30,
  /** Characters of a prompt, answer, arguments or result in a trace, as JSON. The rest is cut off. */
  traceContentLength: 50_000,
  /** Characters of a provider's error response in a trace. The rest is cut off. */
  traceErrorLength: 4_000,
} as const;
