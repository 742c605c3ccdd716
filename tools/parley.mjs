// `npm run parley -- COMMAND`: builds what is missing or older than its source, then runs the operator's command.
import { freshBundle } from './build.mjs';

await import(await freshBundle('cli.js'));
