import type { ModelMessage } from 'ai';

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One model step: everything the model needs, and no way for it to run anything by itself. */
export interface ModelRequest {
  /** `demo`, or `provider:NAME`. */
  readonly model: string;
  /** The system prompt; may be empty. */
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** JSON Schema that the answer has to match, for providers that can be told; the instructions say it as well. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Aborted when this service no longer wants the answer. */
  readonly signal: AbortSignal;
}

/** A tool call as the model asked for it. The engine gives it its id. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set where the provider's answer could not be read as a call (malformed arguments): what to tell the model. */
  readonly unreadable?: string;
}

export interface ModelStep {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** How a request to mend an answer begins: a user message that no user wrote. */
export const REPAIR_REQUEST = 'That answer cannot be used:';

/** What the engine needs of a model. Implemented by the adapters in `src/model`. */
export interface ModelPort {
  /**
   * Asks for one step. `onText` hears the text as it is made; the next piece waits for the promise it returns.
   * @throws {ModelFailure} and nothing else.
   */
  step(request: ModelRequest, onText?: (delta: string) => void | Promise<void>): Promise<ModelStep>;
}

/** `failed`: the provider refused, broke off or could not be understood. `aborted`: by the request's own signal. */
export type ModelFailureKind = 'failed' | 'timeout' | 'aborted';

/** A step that gave no answer. `message` is safe to show: it holds nothing of what the provider said. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind;
  /** Text that had been made before the fault. */
  readonly partialText: string;

  constructor(kind: ModelFailureKind, message: string, details: { partialText?: string; cause?: unknown } = {}) {
    super(message, { cause: details.cause });
    this.name = 'ModelFailure';
    this.kind = kind;
    this.partialText = details.partialText ?? '';
  }
}
