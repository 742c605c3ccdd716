// `npm run build -w @parley/sdk`: makes src/sdk/dist, all that the package @parley/sdk is: two bundles and their types.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'src/sdk/dist');

/** What a page loads at most, compressed, without React. */
export const MOST_BYTES = 16_500;

const SHARED = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  // Without `main` and `browser`, which name builds for other loaders.
  mainFields: ['module'],
  target: 'es2022',
  logLevel: 'warning',
};

const ENTRIES = {
  entryPoints: {
    index: 'src/sdk/index.ts',
    'react/index': 'src/sdk/react/index.ts',
    'server/index': 'src/sdk/server/index.ts',
  },
};

export async function buildSdk() {
  rmSync(dist, { recursive: true, force: true });
  await build({ ...SHARED, ...ENTRIES, outdir: dist, splitting: true, external: ['react'], sourcemap: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', 'src/sdk'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types of the SDK were not made:\n${stdout}`);
  for (const file of filesOf(dist).filter((name) => name.endsWith('.d.ts'))) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from ')(\.[^']*)\.ts'/g, "$1$2.js'"));
  }
  await writeCommonJs();
}

/** The same modules and types for `require`. The modules share chunks, so there is one `ParleyError` for all entries. */
async function writeCommonJs() {
  const target = join(dist, 'cjs');
  const files = filesOf(dist);
  const entryPoints = files.filter((file) => file.endsWith('.js'));
  await build({ entryPoints, outdir: target, outbase: dist, format: 'cjs', target: 'es2022', logLevel: 'warning' });
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const copy = join(target, relative(dist, file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
  writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Bytes of the whole SDK, hooks included, as a page would load it. */
export async function sdkSize() {
  const { outputFiles } = await build({
    ...SHARED,
    stdin: {
      contents: "export * from './index.ts'; export * from './react/index.ts';",
      resolveDir: join(root, 'src/sdk'),
    },
    external: ['react'],
    minify: true,
    write: false,
  });
  return gzipSync(outputFiles[0].contents).length;
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.filename === process.argv[1]) {
  const size = await sdkSize();
  if (size > MOST_BYTES) {
    console.error(`The SDK has ${size} bytes compressed; ${MOST_BYTES} are allowed.`);
    process.exit(1);
  }
  if (process.argv[2] === '--size') console.log(`The SDK has ${size} bytes compressed, of ${MOST_BYTES}.`);
  else await buildSdk();
}
