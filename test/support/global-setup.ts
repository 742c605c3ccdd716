import { bundle } from '../../tools/build.mjs';
import { prepareTemplate } from './database.ts';

/** Once before all tests: the bundle that process tests start, and the database that all others copy. */
export default async function setup(): Promise<void> {
  await bundle();
  await prepareTemplate();
}
