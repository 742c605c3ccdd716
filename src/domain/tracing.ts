import type { ActionSource } from '../contract/statuses.ts';
import type { Usage } from '../contract/token-usage.ts';

/** A model step, as a trace shows it. Content is exported only if the operator asks for it. */
interface StepFacts {
  /** `demo`, or `provider:NAME`. */
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly unknown[];
}

interface StepResult extends Usage {
  readonly text: string;
  readonly finishReason: string | null;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/**
 * Exports what the service does as spans. Every method runs the work in a span, whose parent is the span around it, and
 * passes on its result or error. Implemented in `src/telemetry`. Tracing is off by default, and then there is no such service.
 */
export interface Tracing {
  operation<T>(facts: { readonly kind: string; readonly name: string | undefined }, work: () => Promise<T>): Promise<T>;
  turn<T>(
    facts: {
      readonly runId: string;
      readonly conversationId: string;
      readonly deploymentId: string;
      readonly requestId: string;
    },
    work: () => Promise<T>,
  ): Promise<T>;
  modelStep<T extends StepResult>(facts: StepFacts, work: () => Promise<T>): Promise<T>;
  action<T extends { readonly status: string; readonly output: unknown }>(
    facts: {
      readonly callId: string;
      readonly name: string;
      readonly source: ActionSource;
      readonly arguments: unknown;
    },
    work: () => Promise<T>,
  ): Promise<T>;
  /** Adds the progress that the running action reports to its span. */
  progress(facts: { readonly progress: number; readonly total: number | undefined }): void;
  /** `traceparent` is that of the event. */
  delivery<T extends { readonly delivered: boolean; readonly responseStatus: number | null }>(
    facts: {
      readonly messageId: string;
      readonly endpointId: string;
      readonly type: string | undefined;
      readonly traceparent: string | null;
    },
    work: () => Promise<T>,
  ): Promise<T>;
  /** The headers that let a receiver continue the trace: `traceparent`. Empty outside of a span. */
  headers(): Readonly<Record<string, string>>;
}
