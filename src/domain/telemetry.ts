import type { ActionSource, TurnOutcome } from '../contract/statuses.ts';

/** The operator's log. Never log message content or secrets. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What happened to a mail: `failed` is tried again, and `limited` exceeded the limit of its recipient. */
export type MailOutcome = 'sent' | 'failed' | 'given_up' | 'limited' | 'obsolete';

/** Receives what the service's metrics count. */
export interface Observer {
  /** Returns the function to call when the subscription closes. */
  subscriptionOpened(): () => void;
  turnEnded(outcome: TurnOutcome): void;
  /** `failed`: the turn went on without a new summary. */
  summaryEnded(outcome: 'written' | 'failed'): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  /** A person wrote their first message in a conversation that had waited for one. */
  personAnswered(waitedMs: number): void;
  /** The number of endpoints whose circuit breaker is open, in all environments. */
  webhookEndpointsPaused(count: number): void;
  mailSettled(kind: string, outcome: MailOutcome): void;
  /** The mails that wait, and the age of the oldest, in all workspaces. */
  mailsWaiting(priority: 'urgent' | 'ordinary', count: number, oldestSeconds: number): void;
  actionRan(source: ActionSource, outcome: 'completed' | 'failed', durationMs: number): void;
  modelAnswered(model: string, outcome: 'ok' | 'failed' | 'timeout' | 'aborted', durationMs: number): void;
}

/** Whole milliseconds since `startMs`, an earlier value of the same monotonic clock. */
export function elapsedMs({ monotonicMs }: { monotonicMs(): number }, startMs: number): number {
  return Math.round(monotonicMs() - startMs);
}

/** The running turns of all environments that no process works on. */
export interface UnownedTurns {
  /** Turns whose process died or shut down. The next process continues or settles them within seconds. */
  readonly lost: Unowned;
  /** Background turns that wait for a place, as they do when the limits of their environment are reached. */
  readonly waiting: Unowned;
}

export interface Unowned {
  readonly count: number;
  /** How long the first of them has had no owner. 0 without any. */
  readonly oldestSeconds: number;
}

/** The conversations of all environments that wait for a person. */
export interface WaitingConversations {
  readonly count: number;
  /** How long the first of them has waited. 0 without any. */
  readonly oldestSeconds: number;
}
