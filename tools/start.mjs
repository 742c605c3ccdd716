// `npm start`: builds what is missing or older than its source, then runs the service in this process.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, generateClient } from './build.mjs';

const root = join(import.meta.dirname, '..');
const generated = join(root, 'src/db/generated');
const bundled = join(root, 'dist/main.js');

if (isOlder(join(generated, 'client.ts'), [join(root, 'prisma/schema.prisma')])) generateClient();
if (isOlder(bundled, sourceFiles())) await bundle();
await import(bundled);

function isOlder(product, sources) {
  if (!existsSync(product)) return true;
  const made = statSync(product).mtimeMs;
  return sources.some((source) => statSync(source).mtimeMs > made);
}

function sourceFiles() {
  const names = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
