import { bundle, freshPages } from '../../tools/build.mjs';
import { prepareTemplate } from './database.ts';

/** Once before all tests: the bundle that process tests start, the pages, and the database that all others copy. */
export default async function setup(): Promise<void> {
  await bundle();
  await freshPages();
  await prepareTemplate();
}
