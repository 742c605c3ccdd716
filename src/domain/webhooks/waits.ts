import type { ClaimedDelivery } from './claim.ts';
import { breakerPauseMs, type WebhookPace } from './pace.ts';
import type { AttemptOutcome, Waits } from './record.ts';

/**
 * The waits after an attempt. A receiver can ask for longer ones with Retry-After, at most for the length of the whole
 * schedule. Its endpoint is paused for as long.
 */
export function waitsAfter(
  pace: WebhookPace,
  { attempts, endpointFailures }: Pick<ClaimedDelivery, 'attempts' | 'endpointFailures'>,
  { delivered, retryAfterMs }: Pick<AttemptOutcome, 'delivered' | 'retryAfterMs'>,
): Waits {
  const scheduledMs = pace.retriesMs[attempts];
  if (delivered) return { retryMs: undefined, pauseMs: 0 };
  const scheduleMs = pace.retriesMs.reduce((sum, ms) => sum + ms, 0);
  const requestedMs = Math.min(retryAfterMs, scheduleMs);
  return {
    retryMs: scheduledMs === undefined ? undefined : Math.max(scheduledMs, requestedMs),
    pauseMs: Math.max(breakerPauseMs(pace, endpointFailures + 1), requestedMs),
  };
}
