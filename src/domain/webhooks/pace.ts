/** The schedule and time limit of attempts. Tests set their own. */
export interface WebhookPace {
  /** The wait after each failed attempt. The delivery fails after one more attempt than there are waits. */
  readonly retriesMs: readonly number[];
  /** The time limit of one attempt until the status of the response. */
  readonly timeoutMs: number;
  /** How often the dispatcher polls. Polling finds retries that are due and changes whose notification was lost. */
  readonly pollMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Seven attempts in 10 h 36 min. */
export const WEBHOOK_PACE: WebhookPace = {
  retriesMs: [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR],
  timeoutMs: 15 * SECOND,
  pollMs: SECOND,
};

/** Consecutive failed attempts that open an endpoint's circuit breaker. One message alone cannot have so many. */
export const BREAKER_FAILURES = 10;

/** The breaker pauses for the first waits of the retry schedule: 5 s, 1 min, then 5 min after each failed probe. */
const BREAKER_PAUSES = 3;

/** How long the breaker pauses an endpoint after this many consecutive failures. 0 while it is closed. */
export function breakerPauseMs({ retriesMs }: WebhookPace, failures: number): number {
  if (failures < BREAKER_FAILURES) return 0;
  const pauses = retriesMs.slice(0, BREAKER_PAUSES);
  return pauses[Math.min(failures - BREAKER_FAILURES, pauses.length - 1)] ?? 0;
}

/** An endpoint is disabled if every attempt failed for this many days. */
export const DISABLE_AFTER_DAYS = 5;

/** A gap of this many hours between two failed attempts restarts the count of days. */
export const LONGEST_GAP_HOURS = 24;
