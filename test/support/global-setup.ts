import { freshBundle } from '../../tools/build.mjs';
import { prepareTemplate } from './database.ts';

/** Runs once before all tests. Builds the service, its pages and the template database if they are out of date. */
export default async function setup(): Promise<void> {
  await freshBundle('main.js');
  await prepareTemplate();
}
