import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';
import { DEMO_CHAT_ID, startService } from '../support/service.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)(
  'the generated client for Python sends requests and reads pages, streams, exports and errors',
  async () => {
    const service = await startService();
    const env = { ...process.env, PARLEY_URL: service.url, PARLEY_KEY: service.key, PARLEY_DEPLOYMENT: DEMO_CHAT_ID };
    const { stdout } = await promisify(execFile)('python3', [join(ROOT, 'src/sdk/examples/client.py')], { env });
    const types = ['export', 'conversation', 'end'];
    expect(stdout.trim().split('\n')).toEqual(["{'number': 7}", '1', 'You said: Hello', ...types, '404 not_found']);
    await service.close();
  },
);
