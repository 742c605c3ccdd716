import fc from 'fast-check';

/** The seed of every random choice of the tests. A fixed one by default, so that a failure can be repeated. */
export const SEED = Number(process.env.TEST_SEED ?? 20_260_131);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
