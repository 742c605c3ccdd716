import { graphql } from '../graphql.ts';

export const USAGE = graphql(`
  query UsageReport($period: ReportPeriodInput!, $groupBy: [UsageGroup!]!, $filter: UsageFilter) {
    rows: usage(period: $period, groupBy: $groupBy, filter: $filter) {
      day deploymentId workflowId version model endUser
      turns failures inputTokens cachedInputTokens outputTokens
      medianResponseTime p95ResponseTime p99ResponseTime cost cacheSavings
    }
    days: usage(period: $period, filter: $filter) {
      day turns failures inputTokens outputTokens cost
    }
    total: usage(period: $period, groupBy: [], filter: $filter) {
      turns failures inputTokens cachedInputTokens outputTokens
      medianResponseTime p95ResponseTime p99ResponseTime cost cacheSavings
    }
  }
`);

export const TIME_ZONE = graphql(`
  query TimeZone {
    timeZone
  }
`);

export const FORECAST = graphql(`
  query UsageForecast($soFar: ReportPeriodInput!, $lastDays: ReportPeriodInput!) {
    soFar: usage(period: $soFar, groupBy: []) { inputTokens outputTokens cost }
    lastDays: usage(period: $lastDays, groupBy: []) { inputTokens outputTokens cost }
    budgets(filter: {place: ENVIRONMENT}) { nodes { budgetId period amount tokens } }
  }
`);

export const MODEL_PRICES = graphql(`
  query ModelPrices {
    modelPrices { model inputPerMillion cachedInputPerMillion cacheWritePerMillion outputPerMillion updatedAt }
  }
`);

export const SET_MODEL_PRICE = graphql(`
  mutation SetModelPrice($input: SetModelPriceInput!) {
    setModelPrice(input: $input) {
      __typename
      ... on SetModelPricePayload {
        modelPrice { model }
      }
      ... on Error { code message path }
    }
  }
`);

export const REMOVE_MODEL_PRICE = graphql(`
  mutation RemoveModelPrice($model: String!) {
    removeModelPrice(input: {model: $model}) {
      __typename
      ... on RemoveModelPricePayload { model }
      ... on Error { code message path }
    }
  }
`);

export const WORKFLOW_LOGS = graphql(`
  query WorkflowLogs($filter: WorkflowLogFilter, $first: Int, $after: String, $last: Int, $before: String) {
    workflowLogs(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens cachedInputTokens outputTokens cost responseTime createdAt conversation { name }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);
