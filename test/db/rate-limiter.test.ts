import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openRateLimiter } from '../../src/db/rate-limiter.ts';

const TWO = { name: 'test', points: 2, seconds: 60 };

it('counts in this process where Redis cannot be reached, and tells of it', async () => {
  const faults: unknown[] = [];
  const database = { embedded: true, name: randomUUID(), pool: undefined as never };
  const limiter = await openRateLimiter(database, 'redis://127.0.0.1:1', (fault) => faults.push(fault));
  const answers = [];
  for (let count = 0; count < 3; count += 1) answers.push((await limiter.take(TWO, 'a')).allowed);
  limiter.close();
  expect(answers).toEqual([true, true, false]);
  expect(faults.length).toBeGreaterThan(0);
});
