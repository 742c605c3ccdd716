// What `dist/main.js` is. Most of a start is compiling what was compiled before; Node 20 keeps nothing of it.
import module from 'node:module';
import { join } from 'node:path';

module.enableCompileCache?.(join(import.meta.dirname, 'compiled'));

await import('../src/main.ts');

// A process that is killed would not leave it behind.
setTimeout(() => module.flushCompileCache?.(), 5_000).unref();
