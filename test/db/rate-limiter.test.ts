import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openRateLimiter } from '../../src/db/rate-limiter.ts';

const TWO = { name: 'test', points: 2, seconds: 60 };

it('counts in this process and reports an error if Redis cannot be reached', async () => {
  const errors: unknown[] = [];
  const database = { embedded: true, name: randomUUID(), pool: undefined as never };
  const limiter = await openRateLimiter(database, 'redis://127.0.0.1:1', (error) => errors.push(error));
  const results = [];
  for (let count = 0; count < 3; count += 1) results.push((await limiter.consume(TWO, 'a')).allowed);
  limiter.close();
  expect(results).toEqual([true, true, false]);
  expect(errors.length).toBeGreaterThan(0);
});
