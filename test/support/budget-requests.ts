import type { Client } from './client.ts';

const BUDGET = `id budgetId place deploymentId deployment { deploymentId } conversationId conversation { conversationId }
  runId run { runId } endUser period amount tokens warnAt onReached spent { amount tokens } reserved { amount tokens }
  remaining { amount tokens } periodStartsAt periodEndsAt warnedAt reachedAt`;

const SET = `mutation ($input: SetBudgetInput!) { setBudget(input: $input) {
  __typename ... on SetBudgetPayload { budget { ${BUDGET} } } ... on Error { code message path } } }`;

const REMOVE = `mutation ($id: ID!) { removeBudget(input: { budgetId: $id }) {
  __typename ... on RemoveBudgetPayload { deletedId } ... on Error { code message path } } }`;

/** The budget, or the error. */
export async function setBudget(client: Client, input: object, key?: string) {
  const { body } = await client.graphql(SET, { input }, key === undefined ? {} : { key });
  const { budget, ...error } = body.data.setBudget;
  return budget ?? error;
}

/** The payload, or the error. */
export async function removeBudget(client: Client, id: string, key?: string) {
  return (await client.graphql(REMOVE, { id }, key === undefined ? {} : { key })).body.data.removeBudget;
}
