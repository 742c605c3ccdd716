import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { resultOf } from '../support/results.ts';

const RACERS = 10;
const ROUNDS = 12;

describe.skipIf(!POSTGRES_URL)('publications of one workflow that race at two processes on one PostgreSQL', () => {
  let store: PostgresStore;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    store = await postgresStore();
    pair = await startPair(store);
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  const field = async (client: Client, document: string, variables: object) =>
    resultOf(await client.graphql(document, variables));

  const make = async () => {
    const { workflowId } = await field(
      pair[0],
      'mutation { createWorkflow(input: { name: "Raced" }) { __typename ... on CreateWorkflowPayload { workflow { workflowId } } ... on Error { code message path } } }',
      {},
    );
    const { deploymentId } = await field(
      pair[0],
      'mutation ($id: ID!) { createDeployment(input: { workflowId: $id, name: "A", kind: CHAT }) { __typename ... on CreateDeploymentPayload { deployment { deploymentId } } ... on Error { code message path } } }',
      { id: workflowId },
    );
    return { id: workflowId, deployments: [deploymentId] };
  };

  const PUBLISH = `mutation ($id: ID!, $deployments: [ID!]!) {
    publishWorkflow(input: { workflowId: $id, deploymentIds: $deployments }) { __typename ... on PublishWorkflowPayload { isNew version { number config { maxSteps } } } ... on Error { code message path } } }`;
  const EDIT = `mutation ($id: ID!, $maxSteps: Int!) {
    updateWorkflow(input: { workflowId: $id, draft: { maxSteps: $maxSteps } }) { __typename ... on UpdateWorkflowPayload { workflow { revision } } ... on Error { code message path } } }`;

  it('share one version if the draft is the same', async () => {
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

  it('get distinct numbers without a gap if the draft changes between them', async () => {
    const flow = await make();
    const rounds = Array.from({ length: ROUNDS * 2 }, async (_, racer) => {
      const client = pair[racer % 2] as Client;
      await field(client, EDIT, { ...flow, maxSteps: 1 + (racer % 16) });
      return field(client, PUBLISH, flow);
    });
    const published = await Promise.all(rounds);
    const database = openPool(store.url, 1);
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
