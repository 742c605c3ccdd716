// The entry point of `dist/main.js`.
import module from 'node:module';
import { openCompileCache } from './compile-cache.mjs';

openCompileCache();
await import('../src/main.ts');

// Node writes the cache at exit. A killed process has no exit, so the cache is also written soon after the start.
setTimeout(() => module.flushCompileCache?.(), 5_000).unref();
