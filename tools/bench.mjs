// `npm run bench NAME`: runs a measurement of tools/bench on the embedded database, or on the PostgreSQL server of
// BENCH_DATABASE_URL, in a database of its own. Prints figures; asserts nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const names = readdirSync(join(root, 'tools/bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''));
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(`Name a measurement: npm run bench ${names.join(' | ')}`);
  process.exitCode = 1;
} else {
  const script = join(root, 'tools/bench', `${name}.bench.ts`);
  process.exitCode =
    spawnSync(process.execPath, ['--import', 'tsx', script], { cwd: root, stdio: 'inherit' }).status ?? 1;
}
