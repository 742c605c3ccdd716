// `npm run build` generates the Prisma client, bundles the service to dist/main.js and the operator's commands to
// dist/cli.js, builds the pages to dist/web, and renders the guides to dist/guides. With `--stale` it builds only what
// is missing or older than its source.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPages, viteCommand } from './build-pages.mjs';
import { bundle, REQUIRE } from './bundle.mjs';
import { generateClient, isClientStale, isOlder } from './generate.mjs';

const root = join(import.meta.dirname, '..');
const web = join(root, 'src/web');

/** Builds the pages if they are missing or older than their source. */
export async function freshPages() {
  if (arePagesStale()) await buildPages();
}

/**
 * Returns the path of a bundle. A child process builds the bundles and the pages first if one of them is stale, so
 * this process never holds the builders' memory. A production install has no builders and uses `dist` as it is.
 */
export async function freshBundle(name) {
  const path = join(root, 'dist', name);
  if (!areBuildersInstalled()) {
    if (existsSync(path)) return path;
    throw new Error(
      `dist/${name} is missing, and the build tools are not installed. Run: npm ci --include=dev && npm run build`,
    );
  }
  if (isBundleStale(name) || arePagesStale() || areGuidesStale()) {
    const { status } = spawnSync(process.execPath, [import.meta.filename, '--stale'], { stdio: 'inherit' });
    if (status !== 0) throw new Error('The build failed. Its output above says why.');
  }
  return path;
}

function isBundleStale(name) {
  const isOfPages = (file) => file.startsWith(join(root, 'src/sdk/')) || file.startsWith(`${web}/`);
  const sources = filesOf('src').filter((file) => !isOfPages(file));
  return isOlder(join(root, 'dist', name), [
    ...sources,
    ...['prisma/schema.prisma', 'package-lock.json'].map((path) => join(root, path)),
  ]);
}

function arePagesStale() {
  const sources = ['src/web', 'src/sdk', 'src/contract', 'src/shapes'].flatMap(filesOf);
  return isOlder(join(root, 'dist/web/landing.html'), [...sources, join(root, 'package-lock.json')]);
}

function areBuildersInstalled() {
  return existsSync(join(root, 'node_modules/esbuild')) && viteCommand() !== undefined;
}

/** Renders docs/*.md with React components, which are TypeScript. */
async function buildGuides() {
  const { build } = await import('esbuild');
  const renderer = join(root, 'dist/guide-renderer.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/web/guides/guide-html.ts'],
    outfile: renderer,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
    banner: { js: REQUIRE },
  });
  const { guidePage, guidesOf } = await import(`${pathToFileURL(renderer)}?${Date.now()}`);
  rmSync(renderer);
  const read = (name) => readFileSync(join(root, 'docs', `${name}.md`), 'utf8');
  const guides = guidesOf(read('README'));
  const folder = join(root, 'dist/guides');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const guide of guides)
    writeFileSync(join(folder, `${guide.name}.html`), guidePage(read(guide.name), guides, guide));
  writeFileSync(join(folder, 'README.html'), guidePage(read('README'), guides, undefined));
}

function areGuidesStale() {
  return isOlder(join(root, 'dist/guides/README.html'), ['docs', 'src/web/guides'].flatMap(filesOf));
}

function filesOf(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => !path.startsWith(join(root, 'src/sdk/dist/')));
}

/** To the standard error, because the commands of `npm run parley` print data. */
const say = (line) => process.stderr.write(`${line}\n`);

/** The steps of the build: what it builds, whether that is stale, and how. The last three run at the same time. */
const STEPS = [
  { product: 'the database client', isStale: isClientStale, build: generateClient },
  { product: 'the service', isStale: () => isBundleStale('main.js') || isBundleStale('cli.js'), build: bundle },
  { product: 'the pages', isStale: arePagesStale, build: buildPages },
  { product: 'the guides', isStale: areGuidesStale, build: buildGuides },
];

async function buildStep({ product, build }) {
  const startedAt = performance.now();
  await build();
  say(`  Built ${product} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

async function buildSteps(onlyStale) {
  const [client, ...others] = STEPS;
  // The service contains the client.
  const isClientBuilt = client.isStale();
  const wanted = others.filter(({ isStale }) => !onlyStale || isStale());
  if (wanted.length === 0 && !isClientBuilt) return;
  const products = [...(isClientBuilt ? [client] : []), ...wanted].map(({ product }) => product);
  say(`Building ${products.join(', ')}. This takes up to half a minute.`);
  if (isClientBuilt) await buildStep(client);
  await Promise.all(wanted.map(buildStep));
}

if (import.meta.filename === process.argv[1]) await buildSteps(process.argv[2] === '--stale');
