// The entry point of `dist/cli.js`.
import { openCompileCache } from './compile-cache.mjs';

openCompileCache();
await import('../src/cli.ts');
