import { freshBundle } from '../../tools/build.mjs';
import { beginRun, endRun, prepareTemplate } from './database.ts';

/**
 * Runs once before all tests. Builds the service, its pages and the template database if they are out of date. Returns
 * what runs after all tests.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await freshBundle('main.js');
  await prepareTemplate();
  beginRun();
  return endRun;
}
