// `npm run build`: generates the Prisma client and bundles the service to dist/main.js.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

export function generateClient() {
  const prisma = join(root, 'node_modules/prisma/build/index.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prisma, 'generate', '--config', 'prisma/prisma.config.ts', '--no-hints'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, CHECKPOINT_DISABLE: '1' } },
  );
  if (status !== 0) throw new Error(`prisma generate failed:\n${stdout}${stderr}`);
}

export async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outfile: 'dist/main.js',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
  });
}

if (import.meta.filename === process.argv[1]) {
  generateClient();
  await bundle();
}
