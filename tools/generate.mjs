// `npm run generate`: makes the Prisma client where it is missing or older than its schema.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');

export function generateClient() {
  if (!isOlder(join(root, 'src/db/generated/client.ts'), [join(root, 'prisma/schema.prisma')])) return;
  const prisma = join(root, 'node_modules/prisma/build/index.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prisma, 'generate', '--config', 'prisma/prisma.config.ts', '--no-hints'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, PATH: withBinaries(), CHECKPOINT_DISABLE: '1' } },
  );
  if (status !== 0) throw new Error(`prisma generate failed:\n${stdout}${stderr}`);
}

/** Generators are found by name, as npm's scripts find them. */
function withBinaries() {
  return [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
}

/** Whether a product is missing, or was made before one of its sources last changed. */
export function isOlder(product, sources) {
  if (!existsSync(product)) return true;
  const made = statSync(product).mtimeMs;
  return sources.some((source) => statSync(source).mtimeMs > made);
}

if (import.meta.filename === process.argv[1]) generateClient();
