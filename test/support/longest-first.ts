import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take 20 s and more, the longest first. */
const LONG = [
  'cli.process',
  'webhooks.process',
  'kill.process',
  'data-dir.process',
  'torture-continue.process',
  'torture-postgres.process',
  'torture-embedded.process',
  'first-start.process',
  'double-text.process',
  'leases.process',
  'sdk.process',
  'idempotency.process',
  'kill-matrix.process',
  'actions.process',
  'outage.process',
  'dashboard-conversations',
  'chat-list',
  'clock',
  'access',
  'relay',
  'fuzz',
  'webhook-retries',
  'synchronized',
  'double-text',
  'webhook-fairness',
  'run-guards',
].map((name) => `/${name}.test.ts`);

/**
 * Starts the longest files of each project first, so that no worker is left with one of them at the end. Files of a
 * project stay together: a worker that changes to another project starts again and loads all modules again.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONG.findIndex((end) => moduleId.endsWith(end)) >>> 0;
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((one, other) => rank(one) - rank(other)),
    );
  }
}
