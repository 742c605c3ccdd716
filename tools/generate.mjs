// `npm run generate`: generates the Prisma client if it is missing or older than its schema.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');

export function isClientStale() {
  return isOlder(join(root, 'src/db/generated/client.ts'), [join(root, 'prisma/schema.prisma')]);
}

export function generateClient() {
  if (!isClientStale()) return;
  const prisma = join(root, 'node_modules/prisma/build/index.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prisma, 'generate', '--config', 'prisma/prisma.config.ts', '--no-hints'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, PATH: withBinaries(), CHECKPOINT_DISABLE: '1' } },
  );
  if (status !== 0) throw new Error(`prisma generate failed:\n${stdout}${stderr}`);
}

/** Prisma looks up its generators by name on the PATH, as npm scripts do. */
function withBinaries() {
  return [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
}

/** Whether a file is missing or older than one of its sources. */
export function isOlder(product, sources) {
  if (!existsSync(product)) return true;
  const builtAt = statSync(product).mtimeMs;
  return sources.some((source) => statSync(source).mtimeMs > builtAt);
}

if (import.meta.filename === process.argv[1]) generateClient();
