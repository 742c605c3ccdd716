import { APICallError, JSONParseError } from '@ai-sdk/provider';
import type { ModelStep } from '../domain/agent/model-port.ts';
import { type ReplyStream, unreadable } from './reply-stream.ts';

/** A piece of a reply's text, or of its reasoning. */
export type ReplyPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'reasoning';
      /** The block of reasoning to which the piece belongs. */
      readonly id: string;
      readonly text: string;
      /** The provider's own data, for its adapter. */
      readonly metadata?: unknown;
    };

/** A call as the model wrote it. */
export interface ReplyCall {
  readonly name: string;
  /** JSON, if the model follows the protocol. */
  readonly input: string;
}

/** What is known at the end of a reply. */
export interface ReplyEnd extends Pick<ModelStep, 'finishReason' | 'inputTokens' | 'outputTokens'> {
  readonly calls: readonly ReplyCall[];
}

/** Reads the events of one reply in the protocol of its provider. */
export interface ReplyReader {
  /** Whether the reply ends with the events so far, although the response has not ended. */
  readonly isComplete: boolean;
  /** The parts in an event. @throws the provider's error as its value, or an error if the event breaks the protocol */
  read(event: Fields): readonly ReplyPart[];
  /** Undefined: the provider has not finished the reply. */
  end(): ReplyEnd | undefined;
}

/** The fields of a JSON object, of any types. */
export type Fields = Readonly<Record<string, unknown>>;

/** A reply in progress. */
export class ProviderReply {
  readonly #stream: ReplyStream;
  readonly #reader: ReplyReader;
  #fault: { readonly thrown: unknown } | undefined;

  constructor(stream: ReplyStream, reader: ReplyReader) {
    this.#stream = stream;
    this.#reader = reader;
  }

  /** The next parts, at least one. Undefined after the last one. An error comes after the parts before it. */
  async next(): Promise<readonly ReplyPart[] | undefined> {
    for (;;) {
      if (this.#fault) throw this.#fault.thrown;
      if (this.#reader.isComplete) {
        this.#stream.release();
        return undefined;
      }
      const events = await this.#stream.next();
      if (!events) return undefined;
      const parts = this.#partsOf(events);
      if (parts.length > 0) return parts;
    }
  }

  end(): ReplyEnd | undefined {
    return this.#reader.end();
  }

  /** Joins the text of neighbouring events: each piece costs its listeners the same. */
  #partsOf(events: readonly string[]): ReplyPart[] {
    const parts: ReplyPart[] = [];
    try {
      for (const data of events) {
        if (data === '[DONE]') continue;
        for (const part of this.#reader.read(fieldsOf(parsed(data)))) {
          const last = parts.at(-1);
          if (part.type === 'text' && last?.type === 'text') {
            parts[parts.length - 1] = { type: 'text', text: last.text + part.text };
          } else {
            parts.push(part);
          }
        }
      }
    } catch (thrown) {
      this.#fault = { thrown };
    }
    return parts;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JSONParseError({ text, cause });
  }
}

/** @throws if the value is no object */
export function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw unreadable('An event of the reply has an unknown form.', value);
}

/** Undefined if the field is missing or null. @throws if it is of another type */
export function optionalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return undefined;
  throw unreadable('An event of the reply has an unknown form.', value);
}

/** A token count of a provider: 0 if it is not a number. */
export function countOf(value: unknown): number {
  if (typeof value !== 'number') return 0;
  // `1e999` is a number in JSON.
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}

const STATUS_BY_WORD = [
  ['insufficient_quota', 429],
  ['rate_limit', 429],
  ['authentication', 401],
  ['permission', 403],
  ['not_found', 404],
  ['invalid', 400],
  ['overloaded', 529],
] as const;

/**
 * An error that a provider sends instead of a reply, with the status 200. It counts like a response with the status of
 * such an error, so it is repeated like one.
 */
export function rejectionOf(error: unknown): APICallError {
  const { type, code } = typeof error === 'object' && error !== null ? (error as Fields) : {};
  const words = `${type} ${code}`;
  const statusCode = STATUS_BY_WORD.find(([word]) => words.includes(word))?.[1] ?? statusOf(code);
  const message = 'The provider sent an error instead of a reply.';
  const responseBody = JSON.stringify(error);
  // Without a quota, every further attempt fails too.
  const isRetryable = (statusCode === 429 && !words.includes('quota')) || statusCode >= 500;
  return new APICallError({ message, url: '', requestBodyValues: {}, statusCode, responseBody, isRetryable });
}

function statusOf(code: unknown): number {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}
