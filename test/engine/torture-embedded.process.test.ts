import { SEED } from '../support/seed.ts';
import { testUnderTorture } from '../support/short-torture.ts';

const OPTIONS = { database: 'embedded', forMs: 12_000, seed: SEED, redis: false, recovery: 'settle' } as const;

testUnderTorture('one process on PGlite', OPTIONS, { skip: false });
