import { afterEach, describe, expect, it } from 'vitest';
import { localPubSub } from '../../src/db/pub-sub.ts';
import { LogTail } from '../../src/domain/events/log-tail.ts';
import type { OrderedBatch } from '../../src/domain/events/order.ts';
import type { LogPosition } from '../../src/domain/events/position.ts';

interface Row {
  readonly xid: string;
  readonly id: string;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const at = (xid: bigint, id = '', snapshot: string | null = null): LogPosition => ({ xid, id, snapshot });

/** A tail of a log that has one row after each publication: of transaction 10, 11 and so on. */
async function startTail() {
  const pubSub = localPubSub();
  let xid = 10n;
  const read = async (): Promise<OrderedBatch<Row>> => {
    const position = at(xid, 'a');
    const rows = [{ row: { xid: String(xid), id: 'a' }, position }];
    xid += 1n;
    return { rows, position, isHeldBack: false };
  };
  const toItem = (row: Row) => ({ xid: row.xid });
  const tail = new LogTail<Row, { xid: string }>(pubSub, ['log'], at(9n), { read, toItem });
  const next = () => new Promise<void>((resolve) => ends.push(tail.subscribe(resolve)));
  await next();
  const append = () => {
    const appended = next();
    pubSub.publish('log');
    return appended;
  };
  /** Cached items come at once. */
  const itemsAfter = (from: LogPosition) => {
    const batch = tail.read(from);
    if (batch instanceof Promise) throw new Error('The position is before the cache.');
    return batch;
  };
  return { itemsAfter, append };
}

describe('the tail of the log', () => {
  it('has one batch for all subscribers at the same position', async () => {
    const { itemsAfter } = await startTail();
    const batch = itemsAfter(at(9n));
    expect(batch.values).toEqual([{ xid: '10' }]);
    expect(itemsAfter(at(9n))).toBe(batch);
  });

  it('has new items for a subscriber that reads again from the same position', async () => {
    const { itemsAfter, append } = await startTail();
    const before = itemsAfter(at(10n, 'a'));
    expect(before.values).toEqual([]);
    await append();
    expect(itemsAfter(at(10n, 'a')).values).toEqual([{ xid: '11' }]);
  });

  it('skips only what the snapshot of the subscriber itself contains', async () => {
    const { itemsAfter } = await startTail();
    // Transaction 10 was open in the second snapshot.
    expect(itemsAfter(at(9n, '', '9:12:')).values).toEqual([]);
    expect(itemsAfter(at(9n, '', '9:12:10')).values).toEqual([{ xid: '10' }]);
    expect(itemsAfter(at(9n, '', '9:12:')).values).toEqual([]);
  });

  it('tells positions in one transaction apart', async () => {
    const { itemsAfter } = await startTail();
    expect(itemsAfter(at(10n, '')).values).toEqual([{ xid: '10' }]);
    expect(itemsAfter(at(10n, 'a')).values).toEqual([]);
  });
});
