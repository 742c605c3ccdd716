import type { SendOperation } from './all-operations.ts';
import { publicIdOf } from './results.ts';
import { graphql } from './send-graphql.ts';

type Fixtures = Parameters<SendOperation>[2];

const ID = ({ graph }: Fixtures) => ({ id: publicIdOf(graph.budget) });

const NOTHING = () => ({});

/** The request of each root field of budgets for the fixtures. */
export const BUDGET_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.budget': graphql('query ($id: ID!) { budget(id: $id) { endUser } }', ID),
  'Query.budgets': graphql('{ budgets(first: 100) { nodes { endUser } totalCount } }', NOTHING),
  'Mutation.setBudget': graphql(
    'mutation { setBudget(input: { endUser: "own", period: TOTAL, tokens: 1000 }) { __typename ... on SetBudgetPayload { budget { endUser } } ... on Error { code message path } } }',
    NOTHING,
  ),
  'Mutation.removeBudget': graphql(
    'mutation ($id: ID!) { removeBudget(input: { budgetId: $id }) { __typename ... on RemoveBudgetPayload { deletedId } ... on Error { code message path } } }',
    ID,
  ),
  'Query.timeZone': graphql('{ timeZone }', NOTHING),
  'Mutation.setTimeZone': graphql(
    'mutation { setTimeZone(input: { timeZone: "Europe/Berlin" }) { __typename ... on SetTimeZonePayload { timeZone } ... on Error { code message path } } }',
    NOTHING,
  ),
};

/** The request of each path of budgets for the fixtures. */
export const BUDGET_ROUTES: Readonly<Record<string, SendOperation>> = {
  'GET /v1/budgets': (client, key) => client.send('GET', '/v1/budgets?limit=100', { key }),
  'PUT /v1/budgets': (client, key) =>
    client.send('PUT', '/v1/budgets', { key, body: { end_user: 'own', period: 'total', tokens: 1_000 } }),
  'GET /v1/budgets/{budget_id}': (client, key, fixtures) =>
    client.send('GET', `/v1/budgets/${ID(fixtures).id}`, { key }),
  'DELETE /v1/budgets/{budget_id}': (client, key, fixtures) =>
    client.send('DELETE', `/v1/budgets/${ID(fixtures).id}`, { key }),
};
