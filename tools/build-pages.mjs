// `npm run build -w @parley/web`: builds the pages to dist/web. PREVIOUS_RELEASE names the folder of the previous release,
// if the build does not replace it: its scripts are then served too.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { publishPages } from './web-release.mjs';

const root = join(import.meta.dirname, '..');
const web = join(root, 'src/web');
const built = join(root, 'dist/web.new');

/** Undefined if Vite is not installed. */
export function viteCommand() {
  try {
    const manifest = createRequire(join(web, 'package.json')).resolve('vite/package.json');
    return join(dirname(manifest), 'bin/vite.js');
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

export async function buildPages() {
  // The pages, then the widget, because the first build empties their folder.
  await runVite();
  await runVite('--config', 'vite.widget.config.ts');
  await compressAssets(join(built, 'assets'));
  const served = join(root, 'dist/web');
  publishPages(built, served, previousPages() ?? served);
  rmSync(built, { recursive: true });
}

/** Scripts, styles and pictures, compressed as small as possible: too slow for a process that serves them. */
async function compressAssets(folder) {
  const names = readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name));
  const write = async (name) => {
    const path = join(folder, name);
    const content = await readFile(path);
    // The default of Brotli is its highest level.
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  };
  await Promise.all(names.map(write));
}

/** In production mode even under tests: otherwise libraries add their development checks. */
function runVite(...options) {
  return new Promise((done, reject) => {
    const env = { ...process.env, NODE_ENV: 'production' };
    const child = spawn(process.execPath, [viteCommand(), 'build', ...options], { cwd: web, env, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? done() : reject(new Error('The pages could not be built.'))));
  });
}

function previousPages() {
  const { PREVIOUS_RELEASE } = process.env;
  if (!PREVIOUS_RELEASE) return undefined;
  const folder = resolve(root, PREVIOUS_RELEASE, 'dist/web');
  if (!existsSync(folder)) throw new Error(`PREVIOUS_RELEASE has no dist/web: ${folder}`);
  return folder;
}

if (import.meta.filename === process.argv[1]) await buildPages();
