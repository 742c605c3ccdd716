import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/database.ts';
import type { Block } from '../support/document-blocks.ts';
import type { TestService } from '../support/service.ts';

/** The address and the key that the documents show. */
const SHOWN_URL = /http:\/\/127\.0\.0\.1:4000/g;
const SHOWN_KEY = /sk_test_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG/g;

/** npm runs it in the repository, the examples run in a folder of their own. */
const SHOWN_COMMAND = 'npm run -s parley --';

const SCRIPTS = join(ROOT, 'node_modules/.cache/parley');

/** Runs the examples of one document, as a reader would: in order, in one shell and one folder. */
export interface Runner {
  /** What the block prints. Fails if the block does. */
  run(block: Block): Promise<string>;
  close(): Promise<void>;
}

export async function openRunner(service: TestService): Promise<Runner> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-docs-'));
  // Below node_modules, so that a script finds the packages that it imports.
  await mkdir(SCRIPTS, { recursive: true });
  const scripts = await mkdtemp(join(SCRIPTS, 'docs-'));
  const { email, password } = service.owner;
  const env = { PATH: process.env.PATH, HOME: folder, KEY: service.keys.test, EMAIL: email, PASSWORD: password };
  const localized = ({ text }: Block) =>
    text
      .replace(SHOWN_URL, service.url)
      .replace(SHOWN_KEY, service.keys.test)
      .replaceAll(SHOWN_COMMAND, `node ${join(ROOT, 'dist/cli.js')}`);

  const execute = (command: string, args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(command, args, { cwd: folder, env, timeout: 50_000 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stderr}\n${stdout}`));
        else resolve(stdout);
      });
    });

  /** Variables of one shell block live on in the next. */
  const shell = (text: string) =>
    execute('bash', ['-c', `set -e; [ -f .env ] && . ./.env; set -a\n${text}\nset +a; export -p > .env`]);

  const script = async (text: string) => {
    const path = join(scripts, 'example.mts');
    // From its source, because only `npm pack` builds the package.
    const source = (_: string, entry = '') => JSON.stringify(join(ROOT, 'src/sdk', entry, 'index.ts'));
    await writeFile(path, text.replace(/'@parley\/sdk(?:\/(\w+))?'/g, source));
    return execute(join(ROOT, 'node_modules/.bin/tsx'), [path]);
  };

  const graphql = async (query: string, isOwner: boolean) => {
    const key = isOwner ? await signIn(service) : service.keys.test;
    const { body } = await service.graphql(query, {}, { key });
    return JSON.stringify(body);
  };

  return {
    run(block) {
      const text = localized(block);
      if (block.language === 'sh') return shell(text);
      if (block.language === 'ts') return script(text);
      if (block.language === 'graphql') return graphql(text, block.purpose.includes('as=owner'));
      throw new Error(`${block.file}:${block.line}: no runner for ${block.language}`);
    },
    async close() {
      for (const path of [folder, scripts]) await rm(path, { recursive: true, force: true });
    },
  };
}

async function signIn(service: TestService): Promise<string> {
  const { body } = await service.send('POST', '/v1/sessions', { key: null, body: service.owner });
  return body.data.token;
}
