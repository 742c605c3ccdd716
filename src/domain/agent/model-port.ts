import type { ModelProvider } from '../../contract/model-name.ts';
import type { RunFailureReason } from '../../contract/run-failures.ts';
import type { FinishReason, ReasoningEffort } from '../../contract/statuses.ts';
import type { Usage } from '../../contract/token-usage.ts';

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, with `type: object`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  /** Base64, or the file's address. */
  readonly data: string | URL;
  readonly filename?: string;
}

/** Reasoning of the model in an earlier step, which the provider gets back with the results of its calls. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  /** The provider's own data, such as a signature. Only its adapter reads it. */
  readonly metadata?: unknown;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The provider's own data of the call, such as a signature. Only its adapter reads it. */
  readonly metadata?: unknown;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  /** `error-json` is the output of a failed call. `error-text` says why a call has no output. */
  readonly output:
    | { readonly type: 'json' | 'error-json'; readonly value: unknown }
    | { readonly type: 'error-text'; readonly value: string };
  /** The files of the result, in order. An adapter replaces a file that the model cannot get with a text. */
  readonly files?: readonly (TextPart | FilePart)[];
}

/** One message of a prompt. The results of an assistant message's tool calls are the next message. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string | readonly (TextPart | FilePart)[] }
  | { readonly role: 'assistant'; readonly content: string | readonly (ReasoningPart | TextPart | ToolCallPart)[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

/** The content of an uploaded file. */
export interface StoredContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name: string;
}

/** Reads an uploaded file by its URI. Returns the reason if it is not available, in words for the model. */
export type ReadStoredFile = (uri: URL, mostBytes: number) => Promise<StoredContent | { readonly problem: string }>;

/** One model step. It contains everything that the model needs, and the model cannot run tools. */
export interface ModelRequest {
  /** `demo`, or `provider:NAME`. */
  readonly model: string;
  /** Whether the reply is a summary of the conversation, and not its next message. */
  readonly isSummary?: boolean;
  /**
   * Whether a prompt that is too long for the model ends the step. Otherwise, and for any other rejection, the adapter
   * repeats the step without files and without earlier turns.
   */
  readonly reportsOverflow?: boolean;
  /** The system prompt. Can be empty. */
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /**
   * `none`: the model must reply without calls. The tools are sent anyway, because providers cache a prompt by its
   * beginning, and the tools come first. Default: `auto`.
   */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /**
   * Whether a later request is likely to begin with this one, so that the provider is asked to cache it. Anthropic
   * charges 25 % more for what it writes into its cache, which is lost if nothing reads it. Default: no.
   */
  readonly cachesPrompt?: boolean | undefined;
  /** The JSON Schema of the reply. Some providers enforce it; the instructions state it for all. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** How long the model thinks. Default: the provider's. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** Tokens of the reply with its reasoning. Default: the model's limit. */
  readonly maxReplyTokens?: number | undefined;
  /** From 0 to 2. Default: the provider's. */
  readonly temperature?: number | undefined;
  /** The reply ends before one of these texts. */
  readonly stopSequences?: readonly string[] | undefined;
  /** Parameters that are added to the provider's request. Those that the provider does not have are left out. */
  readonly modelParameters?: Readonly<Record<string, unknown>> | undefined;
  /** Reads the files whose URI is `parley:`. */
  readonly readStoredFile?: ReadStoredFile | undefined;
  readonly timeoutMs: number;
  /** Aborted when the service no longer needs the reply. */
  readonly signal: AbortSignal;
  /** Whether somebody reads the text while it is written. The demo model then writes at a reading pace. */
  readonly isWatched?: (() => boolean) | undefined;
  /** Receives the reasoning in pieces, before the text that follows from it. Undefined: nobody may see it. */
  readonly onReasoning?: TextListener | undefined;
  /** Receives each failed attempt, also those that the adapter repeats. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

/** How a provider answered an attempt that failed. For traces only: `body` is the provider's text. */
export interface ProviderFailure {
  /** Safe to show. */
  readonly message: string;
  /** The HTTP status. Null: no response, or an error within a streamed reply. */
  readonly status: number | null;
  /** The first part of the response, without the API key. Null: no response. */
  readonly body: string | null;
}

/** A tool call as the model requested it. The engine assigns its ID. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set if the provider's call has malformed arguments: an explanation for the model. */
  readonly unreadable?: string;
  /** The provider's own data, which it gets back with the call. */
  readonly metadata?: unknown;
}

/** The result of one model step. */
export interface ModelStep extends Usage {
  /** What the model has written, its reasoning and calls included. Only if the provider did not count all tokens: those are 0. */
  readonly writtenBytes?: number;
  /** Whether the provider got less than the prompt, because it had refused the whole. */
  readonly isReduced?: boolean;
  readonly text: string;
  /** Why the text ends. Null if the provider gives another reason, such as tool calls. */
  readonly finishReason: Extract<FinishReason, 'stop' | 'length' | 'content_filter'> | null;
  readonly calls: readonly ModelCall[];
  /** The reasoning of a step with calls, complete. Later steps send it back. It is stored encrypted. */
  readonly reasoning?: readonly ReasoningPart[] | undefined;
}

/** The first words of a message with the files of tool results: a user message that no user wrote. */
export const RESULT_FILES = 'Files of these results:';

/** The first words of the request to repair a reply: a user message that no user wrote. */
export const REPAIR_REQUEST = 'That answer cannot be used:';

/** The first words of the summary of the earlier conversation: a user message that no user wrote. */
export const SUMMARY_FOLLOWS = 'A summary of the conversation before this point:';

/** The first words of the list of what replaced turns have done: a user message that no user wrote. */
export const REPLACED_ACTIONS = 'An earlier attempt at the next message was replaced. Its actions were not undone:';

/** The first words of a hand-over to the assistant: a user message that no user wrote. */
export const HANDED_BACK = 'The team writes to you, not the user:';

/** What the model is asked if a person wrote the last message: a user message that no user wrote. */
export const PERSON_WROTE_LAST = 'The last message is of a person of the team, not of you. Continue after it.';

/** What the model is asked if its last reply came after a message that it had not read: a user message that no user wrote. */
export const REPLIED_WITHOUT_IT =
  'You wrote your last reply before you had read the latest message of the user. Answer that message.';

/** The first words of the request to suggest a reply: a user message that no user wrote. */
export const PERSON_ANSWERS = 'A person of the team answers the user now, not you:';

/** The first words of what the assistant did, for a model that cannot call tools: a user message that no user wrote. */
export const TOOLS_RAN = 'What the assistant did with its tools:';

/** The first words of messages of the service. */
export const SERVICE_WORDS = [
  RESULT_FILES,
  REPAIR_REQUEST,
  SUMMARY_FOLLOWS,
  REPLACED_ACTIONS,
  HANDED_BACK,
  PERSON_WROTE_LAST,
  REPLIED_WITHOUT_IT,
  PERSON_ANSWERS,
  TOOLS_RAN,
];

/** Whether the service wrote the message of the user that begins with this text. */
export function isOfService(text: string): boolean {
  return SERVICE_WORDS.some((words) => text.startsWith(words));
}

/** Receives the text of a step in pieces. */
export type TextListener = (delta: string) => void | Promise<void>;

/** What a provider answers if it is asked for its models. */
export interface ModelOffer {
  /** Full names, in alphabetical order. Also empty: the provider has no list. */
  readonly models: readonly string[];
  /** Why it gave no answer. Null: it gave one. */
  readonly failure: RunFailureReason | null;
  readonly askedAt: Date;
}

/** Runs model steps. Implemented by the adapters in `src/model`. */
export interface ModelPort {
  /** Whether models of the provider can run: its variables are set. */
  isConfigured(provider: ModelProvider): boolean;
  /** Asks a provider for its models, at most once per minute. Undefined: it is not configured. */
  offer(provider: ModelProvider): Promise<ModelOffer | undefined>;
  /**
   * Runs one step. `onText` receives the text in pieces. The next piece waits for the promise that it returns, if any.
   * @throws {ModelError} and nothing else
   */
  step(request: ModelRequest, onText?: TextListener): Promise<ModelStep>;
}

/** `failed`: the provider rejected the request, disconnected, or sent an invalid response. `aborted`: by the signal. */
export type ModelErrorKind = 'failed' | 'timeout' | 'aborted';

interface ModelErrorDetails {
  readonly partialText?: string;
  readonly writtenBytes?: number | undefined;
  readonly reason?: RunFailureReason | undefined;
  /** The pause that the provider asks for before another request. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A step without a result. `message` is safe to show: it does not contain the provider's text. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Undefined: `kind` says it all. */
  readonly reason: RunFailureReason | undefined;
  readonly retryAfterMs: number | undefined;
  /** The text received before the error. */
  readonly partialText: string;
  /** What the model had written before the error, its reasoning included. Undefined: the provider did not begin a reply. */
  readonly writtenBytes: number | undefined;

  constructor(kind: ModelErrorKind, message: string, details: ModelErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.reason = details.reason;
    this.retryAfterMs = details.retryAfterMs;
    this.partialText = details.partialText ?? '';
    this.writtenBytes = details.writtenBytes;
  }
}
