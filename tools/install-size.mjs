// `npm run check:install`: installs the production dependencies in a scratch directory, together with the built `dist`, and
// fails if both are larger than the limit. It takes about 40 seconds, so it is not part of `npm run check`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAX_MEGABYTES = 130;

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'parley-install-'));

const MANIFESTS = ['package.json', 'package-lock.json', 'src/sdk/package.json', 'src/web/package.json', 'tools/stubs'];

if (!existsSync(join(root, 'dist/main.js'))) throw new Error('dist is missing. Run: npm run build');
try {
  // The first start writes the compile cache, so it is not part of what is installed.
  const filter = (path) => path !== join(root, 'dist/compiled');
  for (const path of [...MANIFESTS, 'dist']) cpSync(join(root, path), join(scratch, path), { recursive: true, filter });
  execFileSync('npm', ['ci', '--omit=dev'], { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] });
  const megabytes = Math.ceil(diskUse(scratch) / 1024 / 1024);
  console.log(`A production install has ${megabytes} MB; ${MAX_MEGABYTES} MB are allowed.`);
  if (megabytes > MAX_MEGABYTES) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}

/** Bytes of the blocks that the files use. Links are not followed. */
function diskUse(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
