import type { ActionSource, TurnOutcome } from '../contract/statuses.ts';

/** The operator's log. Never log message content or secrets. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Receives what the service's metrics count. */
export interface Observer {
  /** Returns the function to call when the subscription closes. */
  subscriptionOpened(): () => void;
  turnEnded(outcome: TurnOutcome): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  /** The number of endpoints whose circuit breaker is open, in all environments. */
  webhookEndpointsPaused(count: number): void;
  actionRan(source: ActionSource, outcome: 'completed' | 'failed', durationMs: number): void;
  modelAnswered(model: string, outcome: 'ok' | 'failed' | 'timeout' | 'aborted', durationMs: number): void;
}

/** Whole milliseconds since `startMs`, an earlier value of the same monotonic clock. */
export function elapsedMs({ monotonicMs }: { monotonicMs(): number }, startMs: number): number {
  return Math.round(monotonicMs() - startMs);
}
