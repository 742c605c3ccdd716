import { graphql } from '../graphql.ts';

const BUDGET_FIELDS = graphql(`
  fragment BudgetFields on Budget {
    budgetId endUser period amount tokens warnAt onReached
    expiresAfterSeconds
    onExpiry { mode output }
    raised { amount tokens }
    spent { amount tokens }
    reserved { amount tokens }
    periodEndsAt warnedAt reachedAt
  }
`);

export const BUDGETS = graphql(
  `
  query Budgets($filter: BudgetFilter, $first: Int, $after: String, $last: Int, $before: String) {
    timeZone
    budgets(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { ...BudgetFields }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,
  [BUDGET_FIELDS],
);

export const SET_BUDGET = graphql(`
  mutation SetBudget($input: SetBudgetInput!) {
    setBudget(input: $input) {
      __typename
      ... on SetBudgetPayload { budget { budgetId } }
      ... on Error { code message path }
    }
  }
`);

export const REMOVE_BUDGET = graphql(`
  mutation RemoveBudget($budgetId: ID!) {
    removeBudget(input: {budgetId: $budgetId}) {
      __typename
      ... on RemoveBudgetPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
