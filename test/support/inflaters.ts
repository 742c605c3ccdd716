import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Transform } from 'node:stream';

type Zlib = Record<'createBrotliDecompress' | 'createGunzip' | 'createInflate', (options?: object) => Transform>;

/** Node's inflaters, with a count of the bytes that they produce. */
export function countInflated() {
  const zlib = createRequire(import.meta.url)('node:zlib') as Zlib;
  const { createBrotliDecompress, createGunzip, createInflate } = zlib;
  const originals = { createBrotliDecompress, createGunzip, createInflate };
  const count = { inflaters: 0, bytes: 0 };
  for (const name of ['createBrotliDecompress', 'createGunzip', 'createInflate'] as const) {
    const counting: Zlib[typeof name] = (options) => {
      const inflater = originals[name](options);
      count.inflaters += 1;
      const push = inflater.push.bind(inflater);
      inflater.push = (piece: Buffer | null, encoding) => {
        count.bytes += piece?.length ?? 0;
        return push(piece, encoding);
      };
      return inflater;
    };
    Object.defineProperty(zlib, name, { value: counting, configurable: true, enumerable: true });
  }
  syncBuiltinESMExports();
  return {
    count,
    reset: () => Object.assign(count, { inflaters: 0, bytes: 0 }),
    restore: () => {
      for (const [name, value] of Object.entries(originals)) Object.defineProperty(zlib, name, { value });
      syncBuiltinESMExports();
    },
  };
}
