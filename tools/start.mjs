// `npm start`: builds what is missing or older than its source, then runs the service in this process.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { generateClient, isOlder } from './generate.mjs';

const root = join(import.meta.dirname, '..');
const bundled = join(root, 'dist/main.js');

generateClient();
if (isOlder(bundled, sourceFiles())) await bundle();
await import(bundled);

function sourceFiles() {
  const names = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
