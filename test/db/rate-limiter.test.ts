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

it('counts no request of a caller that it has refused, until the window ends or a request is given back', async () => {
  const counted: string[] = [];
  // The pool counts its statements. Rows of the counter have the columns that the library reads.
  const pool = {
    query: ({ values }: { readonly values: readonly unknown[] }) => {
      counted.push(String(values[0]));
      return Promise.resolve({ rows: [{ points: counted.length, expire: String(Date.now() + 60_000) }] });
    },
  };
  const database = { embedded: false, name: 'a', pool: pool as never };
  const limiter = await openRateLimiter(database, undefined, () => {});
  const consume = async (limit = TWO) => (await limiter.consume(limit, 'a')).allowed;
  expect([await consume(), await consume(), await consume(), await consume()]).toEqual([true, true, false, false]);
  expect(counted).toHaveLength(3);
  expect(await consume({ ...TWO, points: 10 })).toBe(true);
  expect((await limiter.consume(TWO, 'a')).resetSeconds).toBeGreaterThan(55);
  await limiter.refund(TWO, 'a');
  await consume();
  expect(counted).toHaveLength(6);
  limiter.close();
});
