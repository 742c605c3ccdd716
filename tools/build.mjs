// `npm run build`: makes the Prisma client and bundles the service to dist/main.js.
import { join } from 'node:path';
import { build } from 'esbuild';
import { generateClient } from './generate.mjs';

export async function bundle() {
  await build({
    absWorkingDir: join(import.meta.dirname, '..'),
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
