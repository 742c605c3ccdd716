// `npm run build`: makes the Prisma client, bundles the service to dist/main.js and the operator's commands to dist/cli.js,
// and builds the pages to dist/web.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { generateClient, isOlder } from './generate.mjs';

const root = join(import.meta.dirname, '..');

/** The service is a bundle of its own: what it is made of is loaded once the compile cache is open. */
const apart = {
  name: 'apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/src\/main\.ts$/ }, () => ({ path: './service.js', external: true })),
};

export async function bundle() {
  // A start that has nothing to build does without them.
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'tools/boot.mjs', service: 'src/main.ts', cli: 'src/cli.ts' },
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [apart],
  });
}

/** The path of a bundle; it and the pages are made anew where they are missing or older than their source. */
export async function freshBundle(name) {
  generateClient();
  await freshPages();
  const path = join(root, 'dist', name);
  const isOfPages = (file) => file.startsWith(join(root, 'src/sdk/')) || file.startsWith(join(root, 'src/web/'));
  if (
    isOlder(
      path,
      filesOf('src').filter((file) => !isOfPages(file)),
    )
  )
    await bundle();
  return path;
}

/** Builds the pages where they are missing or older than their source. */
export async function freshPages() {
  const sources = ['src/web', 'src/sdk', 'src/contract'].flatMap(filesOf);
  if (
    !isOlder(join(root, 'dist/web/landing.html'), [
      ...sources,
      join(root, 'package-lock.json'),
      join(root, 'vite.config.ts'),
    ])
  )
    return;
  await buildPages();
}

/** The pages as they are served, wherever this runs: under tests, libraries would put in what is for developers. */
async function buildPages() {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    const { build: buildWithVite } = await import('vite');
    await buildWithVite({ configFile: join(root, 'vite.config.ts') });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function filesOf(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => !path.startsWith(join(root, 'src/sdk/dist/')));
}

if (import.meta.filename === process.argv[1]) {
  generateClient();
  await Promise.all([bundle(), buildPages()]);
}
