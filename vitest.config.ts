import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const STATIC = 'test/boundaries.test.ts';

/** What starts the service as processes and kills them: they wait for leases more than they work. */
const PROCESSES = 'test/engine/*.process.test.ts';

/** Files of them at a time: a server's work and its hundred connections are shared, an embedded database has its own. */
const PROCESS_FILES = process.env.TEST_DATABASE_URL ? 2 : 3;

/** What holds the service to its contracts, to specifications, and to clients that others have written. */
const CONFORMANCE = 'test/conformance/**/*.test.ts';

/** What needs a browser: `chromium` of the system's packages. */
const BROWSER = 'test/browser/**/*.test.ts';

/** The client against the service. */
const SDK = 'test/sdk/**/*.test.ts';

const SET_UP = { globalSetup: ['test/support/global-setup.ts'] };

export default defineConfig({
  // Libraries load graphql as Node does, from its main file; a second copy would not know the first one's schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    // Files share a worker's modules: loading them anew for each cost more than the tests.
    isolate: false,
    // More than a small machine has cores: at any time some of the tests wait.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      // What reads files alone, for `npm run check`: nothing is built or started for it.
      { extends: true, test: { name: 'static', include: [STATIC] } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [STATIC, PROCESSES, CONFORMANCE, SDK, BROWSER],
          ...SET_UP,
        },
      },
      {
        extends: true,
        test: { name: 'conformance', include: [CONFORMANCE], testTimeout: 120_000, ...SET_UP },
      },
      { extends: true, test: { name: 'sdk', include: [SDK], ...SET_UP } },
      {
        extends: true,
        test: { name: 'processes', include: [PROCESSES], maxWorkers: PROCESS_FILES, testTimeout: 120_000, ...SET_UP },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          maxWorkers: 2,
          testTimeout: 180_000,
          // As long as a locator waits.
          expect: { poll: { timeout: 60_000 } },
          ...SET_UP,
        },
      },
    ],
  },
});
