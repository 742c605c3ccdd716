import { expect, it } from 'vitest';
import { breakerPauseMs, WEBHOOK_PACE } from '../../src/domain/webhooks/pace.ts';
import { waitsAfter } from '../../src/domain/webhooks/waits.ts';

const FAILED = { delivered: false, retryAfterMs: 0 };

it('an attempt of a webhook ends after 15 s', () => {
  expect(WEBHOOK_PACE.timeoutMs).toBe(15_000);
});

it('the circuit breaker pauses an endpoint after 10 failures for 5 s, then 1 min, then 5 min', () => {
  const seconds = [9, 10, 11, 12, 13, 100].map((failures) => breakerPauseMs(WEBHOOK_PACE, failures) / 1_000);
  expect(seconds).toEqual([0, 5, 60, 300, 300, 300]);
});

it('Retry-After pauses an endpoint for at most 10 h 36 min', () => {
  const retryAfterMs = 24 * 60 * 60 * 1_000;
  const { pauseMs } = waitsAfter(WEBHOOK_PACE, { attempts: 0, endpointFailures: 0 }, { ...FAILED, retryAfterMs });
  expect(Math.floor(pauseMs / 60_000)).toBe(10 * 60 + 36);
});

it('a Retry-After that is shorter than the schedule does not shorten the wait', () => {
  const state = { attempts: 1, endpointFailures: 1 };
  const { retryMs } = waitsAfter(WEBHOOK_PACE, state, { ...FAILED, retryAfterMs: 10_000 });
  expect(retryMs).toBe(60_000);
});
