import { JSONParseError } from '@ai-sdk/provider';
import { Pace } from '../../bounds/pace.ts';
import { parseExact } from '../../contract/exact-json.ts';
import type { Usage } from '../../contract/token-usage.ts';
import type { ModelStep } from '../../domain/agent/model-port.ts';
import { unreadable } from '../unreadable.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { isTooComplex } from './json-size.ts';
import type { ReplyStream } from './stream.ts';

/** A piece of a reply's text, or of its reasoning. */
export type ReplyPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'reasoning';
      /** The block of reasoning to which the piece belongs. Undefined: the provider must not get it back. */
      readonly id: string | undefined;
      readonly text: string;
      /** The provider's own data, for its adapter. */
      readonly metadata?: unknown;
    };

/** A call as the model wrote it. */
export interface ReplyCall {
  readonly name: string;
  /** JSON, if the model follows the protocol. */
  readonly input: string;
  /** Why the call must not run, for the model. */
  readonly problem?: string;
  /** The provider's own data, for its adapter. */
  readonly metadata?: unknown;
}

/** What is known at the end of a reply. */
export interface ReplyEnd extends Pick<ModelStep, 'finishReason'>, Usage {
  readonly calls: readonly ReplyCall[];
}

/** Receives the parts of a reply. */
export type PartSink = (part: ReplyPart) => void;

/** Reads the events of one reply in the protocol of its provider. */
export interface ReplyReader {
  /** Whether the provider has said why the reply ends. Only token counts can follow. */
  readonly isFinished: boolean;
  /** The characters of the calls so far. */
  readonly callsLength: number;
  /** Whether nothing can follow, although the response has not ended. */
  readonly isComplete: boolean;
  /** Reads an event. @throws the provider's error as its value, or an error if the event breaks the protocol */
  read(event: Fields, sink: PartSink): void;
  /** Passes on what is left when no event follows. */
  close(sink: PartSink): void;
  /** Undefined: the provider has not finished the reply. */
  end(): ReplyEnd | undefined;
}

/** How long a provider may take for the token counts after the end of its reply. */
const COUNTS_MS = 5_000;

/** A reply in progress. */
export class ProviderReply {
  readonly #stream: ReplyStream;
  readonly #reader: ReplyReader;
  #isClosed = false;
  #fault: { readonly thrown: unknown } | undefined;

  constructor(stream: ReplyStream, reader: ReplyReader) {
    this.#stream = stream;
    this.#reader = reader;
  }

  /** The next parts, at least one. Undefined after the last one. An error comes after the parts before it. */
  async next(): Promise<readonly ReplyPart[] | undefined> {
    while (!this.#isClosed) {
      const parts = await this.#partsOf(await this.#events());
      if (parts.length > 0) return parts;
    }
    if (this.#fault) throw this.#fault.thrown;
    return undefined;
  }

  end(): ReplyEnd | undefined {
    return this.#reader.end();
  }

  /** The characters of the calls so far. */
  get callsLength(): number {
    return this.#reader.callsLength;
  }

  /** Undefined: the reply has ended. */
  async #events(): Promise<readonly string[] | undefined> {
    const events = this.#stream.next().catch((thrown: unknown) => this.#fail(thrown));
    return this.#reader.isFinished ? within(COUNTS_MS, events) : events;
  }

  async #partsOf(events: readonly string[] | undefined): Promise<readonly ReplyPart[]> {
    const parts: ReplyPart[] = [];
    const sink = joining(parts);
    const pace = new Pace();
    for (const data of events ?? []) {
      await this.#read(data, sink, pace);
      if (this.#fault) break;
    }
    if (!events || this.#fault || this.#reader.isComplete) this.#close(sink);
    return parts;
  }

  async #read(data: string, sink: PartSink, pace: Pace): Promise<void> {
    try {
      for (const event of eventsIn(data)) {
        this.#reader.read(event, sink);
        const pause = pace.pause();
        if (pause) await pause;
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** A finished reply is kept, whatever the provider does afterwards. */
  #fail(thrown: unknown): undefined {
    if (!this.#reader.isFinished) this.#fault = { thrown };
  }

  #close(sink: PartSink): void {
    this.#isClosed = true;
    this.#stream.release();
    this.#reader.close(sink);
  }
}

/** Undefined if the promise takes longer. */
async function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Joins the text of neighbouring events: each piece costs its listeners the same. */
function joining(parts: ReplyPart[]): PartSink {
  return (part) => {
    const last = parts.at(-1);
    if (part.type === 'text' && last?.type === 'text') {
      parts[parts.length - 1] = { type: 'text', text: last.text + part.text };
    } else if (part.type === 'reasoning' && last?.type === 'reasoning' && last.id === part.id && !part.metadata) {
      parts[parts.length - 1] = { ...last, text: last.text + part.text };
    } else {
      parts.push(part);
    }
  };
}

/** The events in the data of one event: some servers separate events by one line break. Empty ones are left out. */
function* eventsIn(data: string): Generator<Fields> {
  const text = data.trim();
  if (text === '' || text === '[DONE]') return;
  const parsed = parsedEvent(text);
  if (!('problem' in parsed)) {
    if (parsed.value !== null) yield fieldsOf(parsed.value);
  } else if (text.includes('\n')) {
    for (let start = 0, end = 0; end < text.length; start = end + 1) {
      end = text.indexOf('\n', start);
      if (end === -1) end = text.length;
      yield* eventsIn(text.slice(start, end));
    }
  } else {
    throw parsed.problem;
  }
}

function parsedEvent(text: string): { readonly value: unknown } | { readonly problem: Error } {
  if (isTooComplex(text)) return { problem: unreadable('An event of the reply has too many values.') };
  try {
    return { value: parseExact(text) };
  } catch (cause) {
    return { problem: new JSONParseError({ text, cause }) };
  }
}
