import { prepareDirectory } from './data-stores.ts';

/** Runs once before the process tests, after `global-setup.ts` has built the service. */
export default function setup(): Promise<void> {
  return prepareDirectory();
}
