/** When attempts are made, and how long one may take. Tests have one of their own. */
export interface WebhookPace {
  /** Waits behind each failed attempt; behind the last attempt the delivery has failed. */
  readonly retriesMs: readonly number[];
  /** For one attempt, to the status of the answer. */
  readonly timeoutMs: number;
  /** How often to look for what is due, or was not told of. */
  readonly pollMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** WIRE 12. */
export const WEBHOOK_PACE: WebhookPace = {
  retriesMs: [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR],
  timeoutMs: 15 * SECOND,
  pollMs: SECOND,
};
