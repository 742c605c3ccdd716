// `node tools/image-tree.mjs FOLDER` copies what the service needs to run: the build, the files that it reads, and the
// packages that the bundles load from node_modules. The Dockerfile calls it after `npm run build`.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNBUNDLED } from './bundle.mjs';

const root = join(import.meta.dirname, '..');

const FILES = ['dist', 'public', 'prisma', 'schema', 'package.json'];

/** Files of packages that only builds and debuggers read. */
const UNUSED = /\.(map|d\.ts|d\.mts|d\.cts|md)$/;

export function writeImageTree(target) {
  if (!existsSync(join(root, 'dist/main.js'))) throw new Error('dist is missing. Run: npm run build');
  mkdirSync(target, { recursive: true });
  // A start writes the compile cache, which belongs to one version of Node.
  const isBuilt = (path) => path !== join(root, 'dist/compiled');
  for (const file of FILES) cpSync(join(root, file), join(target, file), { recursive: true, filter: isBuilt });
  for (const name of withDependencies(UNBUNDLED)) {
    const filter = (path) => !UNUSED.test(path);
    cpSync(join(root, 'node_modules', name), join(target, 'node_modules', name), { recursive: true, filter });
  }
}

/** The installed packages and what they depend on, native parts for this platform included. */
function withDependencies(names, found = new Set()) {
  for (const name of names) {
    const manifest = join(root, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(manifest)) continue;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    withDependencies(Object.keys({ ...dependencies, ...optionalDependencies }), found);
  }
  return found;
}

if (import.meta.filename === process.argv[1]) {
  const [target] = process.argv.slice(2);
  if (!target) throw new Error('Usage: node tools/image-tree.mjs FOLDER');
  writeImageTree(target);
}
