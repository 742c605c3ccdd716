// `npm run bench [NAME …]` measures the built service and its baselines, prints medians with their spread, and writes
// `test/bench/RESULTS.md`. It asserts nothing. `--quick` measures briefly and stores nothing. `--profile` writes CPU
// profiles. `--serve` measures nothing: it starts the service with a provider, for a comparison with other services.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { dropAll } from './bench/core/database.ts';
import { options } from './bench/core/options.ts';
import { ROOT, stopAll } from './bench/core/processes.ts';
import { printed, writeReport } from './bench/core/report.ts';
import { type Bench, runBench, storedResults, storeResult } from './bench/core/results.ts';
import { serve } from './bench/core/serve.ts';
import { freshBundle } from './build.mjs';

const FOLDER = join(ROOT, 'tools/bench');

const known = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''));

/** Baselines and clients are bundled like the service, so the comparison is fair. */
async function bundleProcesses(): Promise<void> {
  const files = readdirSync(join(FOLDER, 'processes'));
  await build({
    entryPoints: files.map((file) => join(FOLDER, 'processes', file)),
    outdir: join(ROOT, 'dist/bench'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
  });
}

async function main(): Promise<void> {
  const unknown = options.names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  await freshBundle('main.js');
  await bundleProcesses();
  if (options.serve) return serve().finally(cleanUp);
  for (const name of options.names.length > 0 ? options.names : known) {
    console.log(`\n${name} …`);
    const { bench } = (await import(`./bench/${name}.bench.ts`)) as { readonly bench: Bench };
    const result = await runBench(name, bench).finally(cleanUp);
    console.log(printed(result));
    if (options.quick) continue;
    // Writes after each measurement, so that an aborted run keeps its results.
    storeResult(result);
    writeReport(storedResults());
  }
}

async function cleanUp(): Promise<void> {
  await stopAll();
  await dropAll();
}

if (!options.serve) process.once('SIGINT', () => void cleanUp().finally(() => process.exit(130)));
await main();
