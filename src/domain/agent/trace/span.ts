import type { ModelRequest, ModelStep, ProviderFailure } from '../model-port.ts';

/** When something in a run started, and how long it took. */
export interface Timed {
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** A model step as it ran. */
export interface TracedStep extends Timed {
  readonly request: ModelRequest;
  /** The attempts that failed, in order. */
  readonly failures: readonly ProviderFailure[];
  /** The result, or the error of the step. */
  readonly result: ModelStep | unknown;
}

/** A call of a server tool as it ran. */
export interface TracedCall extends Timed {
  readonly callId: string;
  readonly name: string;
  readonly status: 'completed' | 'failed';
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
}

type JsonValues = Readonly<Record<string, unknown>>;

/** Stands for a value that is too long: the beginning of its JSON. */
export type CutOff = Readonly<Record<'truncated', string>>;

/** A message of a prompt. Files are described, not contained. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What a model step was asked. */
export interface Prompt {
  readonly instructions: string;
  /** The latest messages, oldest first. */
  readonly messages: readonly PromptMessage[];
  /** The number of earlier messages that are left out because of the limit. */
  readonly messagesLeftOut: number;
  /** The names of the offered tools. */
  readonly tools: readonly string[];
}

/** What a model answered: its text, possibly partial, and its calls. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: JsonValues }[];
}

/** The sealed content of a model step. */
export interface StepContent {
  readonly prompt: Prompt;
  readonly answer: Answer;
  /** Why the step has no result: the message that the caller of the turn gets. */
  readonly error: string | null;
  readonly failures: readonly ProviderFailure[];
  readonly isTruncated: boolean;
  /** Missing in traces of earlier releases. */
  readonly isSummary?: boolean;
}

/** The sealed content of a call. */
export interface CallContent {
  readonly arguments: JsonValues;
  readonly result: JsonValues;
  readonly isTruncated: boolean;
}
