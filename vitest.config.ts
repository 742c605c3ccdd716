import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/** A PostgreSQL server to test with. Without one, tests use the embedded database. */
const POSTGRES = Boolean(process.env.TEST_DATABASE_URL);

/** Whether the command names files: those run on any database. */
const NAMES_FILES = process.argv.some((word) => /^test\/|\.test\.ts$/.test(word));

const STATIC = ['test/boundaries.test.ts', 'test/docs/!(examples).test.ts'];

/** Tests that use no database. Reading files, HTTP and a fake provider are fine. */
const UNIT = [
  'test/{contracts,contributing,domain,model,operation,outbound}/**/*.test.ts',
  'test/{config,cli/configuration-file,ops/model-metrics,rest/openapi,sdk/types}.test.ts',
  'test/graphql/{columns,descriptions,foreign-keys,id-inputs,sdl}.test.ts',
];

/**
 * Tests that start the service as processes and kill them. Each names the database that it uses, so one run covers
 * both. They wait for leases more than they compute.
 */
const PROCESSES = 'test/engine/*.process.test.ts';

/** Tests that need a browser: `chromium-headless-shell` of the system's packages. */
const BROWSER = 'test/browser/**/*.test.ts';

/** Tests that need a browser and measure its time: each runs without another test next to it. */
const ALONE = 'test/browser/**/*.alone.test.ts';

/**
 * What runs on the embedded database: one file or more for each kind of statement that the service sends. The other
 * files test rules above the database. Starting an embedded database takes more time than most files' tests.
 */
const EMBEDDED = [
  // Lists are in `composed-reads`, and policies in `row-level-security`. Each test of partitions takes seconds to open a
  // database of its own: `log-maintenance` creates them on this one.
  'test/db/**/!(partition*|event-*|scoped*).test.ts',
  'test/ops/operations.test.ts',
  'test/sdk/agent.test.ts',
  `test/spec/{${[
    'audit',
    'conversation',
    'deletion',
    'events',
    'idempotency',
    'log-maintenance',
    'resources',
    'tool-results',
    'usage',
  ].join()}}.test.ts`,
];

const SET_UP = { globalSetup: ['test/support/global-setup.ts'], setupFiles: ['test/support/test-file.ts'] };

export default defineConfig({
  // Libraries load graphql as Node does, from its main file. A second copy would reject the first one's schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    // Files share a worker's modules: to load them for each file would take longer than the tests.
    isolate: false,
    // More workers than a small machine has cores, because at any time some tests wait.
    maxWorkers: 4,
    // In node_modules/.experimental-vitest-cache: the next run reads a file's code instead of transforming it again.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // The gate prints messages of failures, not their differences.
    chaiConfig: { truncateThreshold: 400 },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The same as the timeout of a locator.
    expect: { poll: { timeout: 60_000 } },
    // Projects with another number of workers have their own `groupOrder`, so that one command can name files of several.
    projects: [
      // Reads files only, for `npm run check`: nothing is built or started for it.
      { extends: true, test: { name: 'static', include: STATIC } },
      { extends: true, test: { name: 'unit', include: UNIT } },
      {
        extends: true,
        test: {
          // With conformance: a worker loads the modules of the service once for each project.
          name: 'service',
          include: POSTGRES || NAMES_FILES ? ['test/**/*.test.ts'] : EMBEDDED,
          exclude: [...STATIC, ...UNIT, PROCESSES, BROWSER],
          testTimeout: 120_000,
          ...SET_UP,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: [PROCESSES],
          // Together they use up to 72 of the 100 connections that PostgreSQL allows by default.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
          // On a busy machine each process takes many times as long to start.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...SET_UP,
          globalSetup: [...SET_UP.globalSetup, 'test/support/process-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          exclude: [ALONE],
          // With 4, the same tests take a tenth more CPU time: each worker has its own browser.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          env: { TEST_REUSE_PORTS: '1' },
          ...SET_UP,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: [ALONE], maxWorkers: 1, sequence: { groupOrder: 3 }, ...SET_UP },
      },
    ],
  },
});
