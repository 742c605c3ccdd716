import module from 'node:module';
import { join } from 'node:path';

// What `dist/main.js` is: most of a start is compiling what was compiled before. Node 20 has no cache for it.
const { enableCompileCache, flushCompileCache } = module as Partial<CompileCache>;
enableCompileCache?.(join(import.meta.dirname, 'compiled'));

await import('./main.ts');

// A process that is killed would not leave it behind.
setTimeout(() => flushCompileCache?.(), 5_000).unref();

interface CompileCache {
  enableCompileCache(directory: string): unknown;
  flushCompileCache(): void;
}
