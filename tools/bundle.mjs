// Bundles the service to dist/main.js and the operator's commands to dist/cli.js.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { linesOfOwnCode } from './source-map.mjs';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/**
 * Loaded from node_modules, because they read files of their package when they run, or are megabytes of text. They are
 * the `dependencies` of package.json.
 */
export const UNBUNDLED = [
  '@electric-sql/pglite',
  '@graphql-yoga/render-graphiql',
  '@node-rs/argon2',
  'swagger-ui-dist',
];

/** Bundles load these files when they run, because they stay separate files in `dist`. */
const SEPARATE_FILES = [
  // These load after the compile cache is open.
  { filter: /^\.\.\/src\/main\.ts$/, path: './service.js' },
  { filter: /^\.\.\/src\/cli\.ts$/, path: './commands.js' },
  // Loaded only if telemetry is on.
  { filter: /^\.\/telemetry\/open\.ts$/, path: './telemetry.js' },
  // Loaded with the first request of an app that a member connects.
  { filter: /^\.\/authorization-provider\.ts$/, path: './authorization-server.js' },
  // Shared by the service and the commands.
  { filter: /query_compiler_fast_bg\.postgresql\.wasm-base64\.mjs$/, path: './query-compiler.js' },
];

const separateFiles = {
  name: 'separate-files',
  setup: ({ onResolve }) => {
    for (const { filter, path } of SEPARATE_FILES)
      onResolve({ filter }, ({ kind }) => (kind === 'entry-point' ? undefined : { path, external: true }));
  },
};

/**
 * Imports built-in modules with `require`. An `import` reads every export of the module, and one export of `node:http`
 * loads the whole `fetch` of Node.
 */
const builtIns = {
  name: 'built-ins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^(node:.*|${builtinModules.join('|')})$`) }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'built-in' } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** CommonJS code in the bundles calls `require`, which ES modules do not have. */
export const REQUIRE =
  "import { createRequire as banner } from 'node:module'; const require = banner(import.meta.url);";

/** Packages become part of the bundles: to find and load 1,400 files of them takes longer than the rest of a start. */
export async function bundle() {
  const { build } = await import('esbuild');
  // The compile cache of earlier builds: nothing reads it again.
  rmSync(join(root, 'dist/compiled'), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'tools/boot.mjs',
      service: 'src/main.ts',
      telemetry: 'src/telemetry/open.ts',
      'authorization-server': 'src/identity/authorization-server/authorization-provider.ts',
      cli: 'tools/boot-cli.mjs',
      commands: 'src/cli.ts',
    },
    outdir: 'dist',
    bundle: true,
    // `pg` tries to load `pg-native` only on request, and it is not installed.
    external: [...UNBUNDLED, 'pg-native'],
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    banner: { js: REQUIRE },
    plugins: [separateFiles, builtIns],
  });
  await build({
    absWorkingDir: root,
    entryPoints: ['src/model/office-converter.mjs'],
    outfile: 'dist/office-converter.mjs',
    bundle: true,
    // Readers of other files than Office documents: never loaded.
    external: ['file-type', 'pdfjs-dist', 'tesseract.js'],
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'error',
    banner: { js: REQUIRE },
  });
  for (const name of ['service', 'commands']) shortenSourceMap(join(root, `dist/${name}.js.map`));
  await writeQueryCompiler();
}

function shortenSourceMap(path) {
  writeFileSync(path, JSON.stringify(linesOfOwnCode(JSON.parse(readFileSync(path, 'utf8')))));
}

/** Prisma's query compiler is WebAssembly in 5 MB of base64. Its client also accepts the bytes. */
async function writeQueryCompiler() {
  const path = require.resolve('@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs');
  const { wasm } = await import(pathToFileURL(path).href);
  writeFileSync(join(root, 'dist/query-compiler.wasm'), Buffer.from(wasm, 'base64'));
  const source = [
    "import { readFileSync } from 'node:fs';",
    "import { join } from 'node:path';",
    "export const wasm = readFileSync(join(import.meta.dirname, 'query-compiler.wasm'));",
  ];
  writeFileSync(join(root, 'dist/query-compiler.js'), `${source.join('\n')}\n`);
}
