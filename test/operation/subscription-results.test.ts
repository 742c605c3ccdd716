import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/contract/errors.ts';
import { mask } from '../../src/operation/mask.ts';
import { SubscriptionResults } from '../../src/operation/subscription-results.ts';

const LOG = { error() {}, warn() {}, info() {}, debug() {} };

/** The results of a source that fails. */
function failing(error: unknown, isResumable: boolean): SubscriptionResults {
  const source = { next: () => Promise.reject(error) };
  return new SubscriptionResults(source, {
    execute: () => ({ result: {} }),
    describe: (failure) => mask(failure, { log: LOG as never, requestId: 'r' }),
    isResumable,
    close() {},
  });
}

describe('the results of a subscription that fails', () => {
  const unavailable = new ServiceError('unavailable', 'Try again.');

  it.each([
    ['are interrupted', 'a temporary error of a feed', unavailable, true, true],
    ['are interrupted', 'an unexpected error of a feed', new Error('A bug.'), true, true],
    ['are complete', 'a final error of a feed', new ServiceError('not_found', 'It is deleted.'), true, false],
    ['are complete', 'a temporary error of a reply, which must not be sent twice', unavailable, false, false],
  ])('%s after %s', async (_expected, _error, error, isResumable, isInterrupted) => {
    const results = failing(error, isResumable);
    expect((await results.next()).value?.result.errors).toHaveLength(1);
    expect((await results.next()).done).toBe(true);
    expect(results.isInterrupted).toBe(isInterrupted);
  });
});
