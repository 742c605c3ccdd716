// `npm run build`: makes the Prisma client and bundles the service to dist/main.js, the operator's commands to dist/cli.js.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { generateClient, isOlder } from './generate.mjs';

const root = join(import.meta.dirname, '..');

export async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/cli.ts'],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
  });
}

/** The path of a bundle, made anew where it is missing or older than its source. */
export async function freshBundle(name) {
  generateClient();
  const path = join(root, 'dist', name);
  if (isOlder(path, sourceFiles())) await bundle();
  return path;
}

function sourceFiles() {
  const names = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A package of its own, with a build of its own.
  return files.filter((path) => !path.startsWith(join(root, 'src/sdk/')));
}

if (import.meta.filename === process.argv[1]) {
  generateClient();
  await bundle();
}
