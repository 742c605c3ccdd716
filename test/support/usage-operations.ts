import type { SendOperation } from './all-operations.ts';
import { BUDGET_FIELDS, BUDGET_ROUTES } from './budget-operations.ts';
import type { Client } from './client.ts';

/** The workflow log entry of a turn: its global ID and its conversation. */
export interface LogFixture {
  readonly nodeId: string;
  readonly conversationId: string;
}

export async function findLogFixture(owner: Client, conversationId: string): Promise<LogFixture> {
  const { body } = await owner.graphql(
    'query ($id: ID!) { workflowLogs(filter: { conversationId: $id }) { nodes { id } } }',
    { id: conversationId },
  );
  return { nodeId: body.data.workflowLogs.nodes[0].id, conversationId };
}

const graphql =
  (document: string, variables: (fixtures: { readonly log: LogFixture }) => object = () => ({})): SendOperation =>
  (client, key, fixtures) =>
    client.graphql(document, variables(fixtures), { key });

const DAYS = 'period: { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }';

/** The request of each root field of usage for the fixtures. */
export const USAGE_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.workflowLogs': graphql(
    'query ($id: ID!) { workflowLogs(filter: { conversationId: $id }) { nodes { conversationId } totalCount } }',
    ({ log }) => ({ id: log.conversationId }),
  ),
  'Query.usage': graphql(`{ usage(${DAYS}) { turns } }`),
  'Query.ratings': graphql(`{ ratings(${DAYS}) { up } }`),
  'Query.handOverReport': graphql(`{ handOverReport(${DAYS}) { waiting } }`),
  ...BUDGET_FIELDS,
  'Query.modelPrices': graphql('{ modelPrices { model } }'),
  'Mutation.setModelPrice': graphql(
    'mutation { setModelPrice(input: { model: "own", inputPerMillion: 1, outputPerMillion: 2 }) { __typename ... on SetModelPricePayload { modelPrice { model } } ... on Error { code message path } } }',
  ),
  'Mutation.removeModelPrice': graphql(
    'mutation { removeModelPrice(input: { model: "nobodys" }) { __typename ... on RemoveModelPricePayload { model } ... on Error { code message path } } }',
  ),
};

/** The request of each path of usage for the fixtures. */
export const USAGE_ROUTES: Readonly<Record<string, SendOperation>> = BUDGET_ROUTES;
