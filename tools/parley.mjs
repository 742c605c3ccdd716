// `npm run parley -- COMMAND`: builds what is missing or older than its source, then carries the operator's command out.
import { freshBundle } from './build.mjs';

await import(await freshBundle('cli.js'));
