/**
 * The client of Parley, a conversational agent service.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://parley.example.com', deploymentId });
 * const { messages } = await client.agent.start({ content: 'Hello' });
 */
export type { ContentPart, DataPart, FilePart, FilePartType, MessageContent, TextPart } from '../contract/content.ts';
export type { ErrorCode } from '../contract/errors.ts';
export type {
  AuthorKind,
  CallKind,
  CallStatus,
  ConversationStatus,
  FinishReason,
  HandlingMode,
  MessageRole,
  RatingValue,
  RunStatus,
} from '../contract/statuses.ts';
export type {
  AgentController,
  AgentOptions,
  AgentReplaceOptions,
  ClientCapability,
  ClientTool,
  ClientToolCall,
  ClientToolHandler,
  ContinueOptions,
  GetOptions,
  LoadMoreOptions,
  OpenOptions,
  StartOptions,
  SyncOptions,
  ToolOptions,
} from './agent-api.ts';
export type { AgentState, AgentStatus, PageInfo } from './agent-state.ts';
export type {
  BranchMethods,
  ForkedConversation,
  ForkOptions,
  RegeneratedTurn,
  ReplaceOptions,
  SelectedVariant,
  SelectVariantOptions,
  TurnEffect,
} from './branch-api.ts';
export type { ChallengeSolver, ProviderChallenge } from './challenge.ts';
export { createClient, type ParleyClient } from './client.ts';
export type { ContentInput, Message, MessageAuthor, MessageRating, MessageVariants } from './content.ts';
export type {
  ChatState,
  ConversationChanges,
  ConversationController,
  ConversationSummary,
  ListOptions,
  LoadMessagesOptions,
  MessageOptions,
  NumberedPage,
} from './conversation-api.ts';
export { type ClientErrorCode, ParleyError } from './error.ts';
export type { FilesApi, GetFileOptions, StoredFile, UploadOptions } from './files.ts';
export type {
  Handling,
  HandlingChange,
  HistoryItem,
  JsonObject,
  PendingToolCall,
  ProgressItem,
  ToolSummary,
} from './history.ts';
export type { ClientOptions, HeaderSource } from './options.ts';
export type { RateMessageOptions } from './rate-message.ts';
export type { RunEvent, RunOptions } from './runs.ts';
export type { UploadProgress } from './send-file.ts';
export { followSubscription, type SubscriptionOptions } from './subscription.ts';
export type { Token, TokenSource } from './token.ts';
export type { CreateTriggerOptions, GetTriggerOptions, Trigger, TriggerApi } from './triggers.ts';
export type { ConversationTurn, OneShotRun, ReplyContent } from './turn.ts';
export type { LiveText } from './turn-feed.ts';
