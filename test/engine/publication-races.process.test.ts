import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { resultOf } from '../support/workflows.ts';

const RACERS = 10;
const ROUNDS = 20;

describe.skipIf(!POSTGRES_URL)('publications of one workflow that race at two processes on one PostgreSQL', () => {
  let home: PostgresPlace;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await postgres();
    pair = await startPair(home);
  });
  afterAll(async () => {
    await killAll();
    await home.remove();
  });

  const field = async (client: Client, document: string, variables: object) =>
    resultOf(await client.graphql(document, variables));

  const make = async () => {
    const { workflowId } = await field(
      pair[0],
      'mutation { createWorkflow(input: { name: "Raced" }) { workflowId } }',
      {},
    );
    const { deploymentId } = await field(
      pair[0],
      'mutation ($id: Int!) { createDeployment(workflowId: $id, input: { name: "A", kind: chat }) { deploymentId } }',
      { id: workflowId },
    );
    return { id: workflowId, deployments: [deploymentId] };
  };

  const PUBLISH = `mutation ($id: Int!, $deployments: [UUID!]!) {
    publishWorkflow(workflowId: $id, deploymentIds: $deployments) { isNew version { number config { maxSteps } } } }`;
  const EDIT = `mutation ($id: Int!, $maxSteps: Int!) {
    updateWorkflow(workflowId: $id, input: { draft: { maxSteps: $maxSteps } }) { revision } }`;

  it('share one version where the draft is the same', async () => {
    const flow = await make();
    for (let round = 1; round <= ROUNDS; round += 1) {
      await field(pair[0], EDIT, { ...flow, maxSteps: 1 + (round % 2) });
      const published = await Promise.all(
        Array.from({ length: RACERS }, (_, racer) => field(pair[racer % 2] as Client, PUBLISH, flow)),
      );
      expect(published.map(({ version }) => version)).toEqual(
        Array(RACERS).fill({ number: round, config: { maxSteps: 1 + (round % 2) } }),
      );
      expect(published.filter(({ isNew }) => isNew)).toHaveLength(1);
    }
  });

  it('get numbers of their own where the draft changes between them, without a gap', async () => {
    const flow = await make();
    const rounds = Array.from({ length: ROUNDS * 2 }, async (_, racer) => {
      const client = pair[racer % 2] as Client;
      await field(client, EDIT, { ...flow, maxSteps: 1 + (racer % 16) });
      return field(client, PUBLISH, flow);
    });
    const published = await Promise.all(rounds);
    const database = openPool(home.url, 1);
    const { rows } = await database.query(
      'SELECT number, (config->>$2)::int AS "maxSteps" FROM workflow_version WHERE workflow_id = $1 ORDER BY number',
      [flow.id, 'maxSteps'],
    );
    await database.end();
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    expect(published.filter(({ isNew }) => isNew)).toHaveLength(rows.length);
    for (const { version } of published) {
      expect(rows[version.number - 1]).toEqual({ number: version.number, ...version.config });
    }
  });
});
