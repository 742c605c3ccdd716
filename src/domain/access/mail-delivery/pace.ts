/** The schedule and time limit of attempts. Tests set their own. */
export interface MailPace {
  /** The wait after each failed attempt. The mail is given up after one more attempt than there are waits, or when it expires. */
  readonly retriesMs: readonly number[];
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
  /** How often the dispatcher polls. Polling finds retries that are due, and mails whose notification was lost. */
  readonly pollMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const MAIL_PACE: MailPace = {
  retriesMs: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR],
  timeoutMs: 30 * SECOND,
  pollMs: SECOND,
};
