// `npm start`: builds what is missing or older than its source, then runs the service in this process. With the
// optimizing WebAssembly compiler, Node 24 needs 870 MB to start the embedded database; with `--liftoff-only` 420 MB, and with the young generation of
// Node 20 (`--max-semi-space-size=16`) 365 MB.
import { freshBundle } from './build.mjs';

await import(await freshBundle('main.js'));
