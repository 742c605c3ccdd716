// `npm start`: builds what is missing or older than its source, then runs the service in this process.
import { freshBundle } from './build.mjs';

await import(await freshBundle('main.js'));
