import { POSTGRES_URL } from '../support/database.ts';
import { SEED } from '../support/seed.ts';
import { testUnderTorture } from '../support/short-torture.ts';

const OPTIONS = { database: 'postgres', forMs: 12_000, seed: SEED, redis: false, recovery: 'continue' } as const;

testUnderTorture('three processes on PostgreSQL that continue each other’s turns', OPTIONS, { skip: !POSTGRES_URL });
