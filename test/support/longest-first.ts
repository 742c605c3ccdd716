import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take 20 s and more, the longest first. */
const LONG = [
  'sdk.process',
  'webhooks.process',
  'torture-embedded.process',
  'torture-continue.process',
  'torture-postgres.process',
  'other-server.process',
  'data-dir.process',
  'continue.process',
  'kill.process',
  'uploads.process',
  'races.process',
  'outage.process',
  'upgrade-fixtures.process',
  'double-text.process',
  'kill-matrix.process',
  'upgrade-load.process',
  'leases.process',
  'ui-stream.process',
  'backup.process',
  'telemetry.process',
  'image.process',
  'cli.process',
  'idempotency.process',
  'actions.process',
  'webhook-fairness.process',
  'access',
  'relay',
  'examples',
  'access-end-user',
  'webhook-retries',
  'parameter-rules',
  'synchronized',
  'clock',
  'fuzz',
  'run-event-webhooks',
  'exports',
  'scoped',
  'partitions',
  'document-blocking',
  'webhook-fairness',
  'event-retention',
  'double-text',
  'document-fuzz',
  's3-large-files',
  'page-speed',
  'failing-scripts',
  'page-speed-phone',
  'widget-identity',
  'dashboard-conversations',
  'chat-list',
  'widget-conversation',
  'dashboard-workflows',
  'dashboard-settings',
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
