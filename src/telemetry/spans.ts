import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** A new span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** A trace of another process. Default: the current span. */
  readonly parent?: SpanContext | undefined;
}

interface Current {
  readonly span: Span;
  /** The conversation of the turn around it. */
  readonly conversationId: string | undefined;
}

/** Starts spans, and knows the current one of each asynchronous call chain. */
export class Spans {
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Current>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** The span around this call, unless it has ended: background work can outlive the request that began it. */
  get current(): Span | undefined {
    const span = this.#current.getStore()?.span;
    return span?.isRecording() ? span : undefined;
  }

  get conversationId(): string | undefined {
    return this.#current.getStore()?.conversationId;
  }

  start({ name, kind, attributes, parent }: SpanStart): Span {
    const around = parent ?? this.#current.getStore()?.span.spanContext();
    const context = around ? trace.setSpanContext(ROOT_CONTEXT, around) : ROOT_CONTEXT;
    return this.#tracer.startSpan(name, { kind, attributes }, context);
  }

  /** Runs `work` inside of a span. */
  within<T>(span: Span, work: () => T, conversationId = this.conversationId): T {
    return this.#current.run({ span, conversationId }, work);
  }

  /** Runs `work` in a new span that ends with it. `describe` adds attributes of the result. */
  async run<T>(
    start: SpanStart & { readonly conversationId?: string },
    work: () => Promise<T>,
    describe?: (result: T, span: Span) => void,
  ): Promise<T> {
    const span = this.start(start);
    try {
      const result = await this.within(span, work, start.conversationId);
      describe?.(result, span);
      return result;
    } catch (error) {
      fail(span, errorType(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** Returns a callback that runs where it was created, although a pool calls it elsewhere. */
  bind<F extends (...args: never[]) => unknown>(callback: F): F {
    return AsyncResource.bind(callback as never) as F;
  }
}

/** Marks a span as failed. `type` is a name or a code, never a message: messages quote content. */
export function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

export function errorType(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const type = typeof code === 'string' ? code : name;
  return typeof type === 'string' && /^[\w.$-]{1,100}$/.test(type) ? type : 'Error';
}
