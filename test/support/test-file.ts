import { basename } from 'node:path';
import { expect } from 'vitest';

// Runs before each test file. The tools that a test starts inherit it, and name the output of their processes after it.
process.env.TEST_FILE = basename(expect.getState().testPath ?? '');
