import { graphql } from '../graphql.ts';

export const USAGE = graphql(`
  query UsageReport($from: DateTime!, $to: DateTime!, $by: [UsageGroup!]!, $deploymentId: UUID) {
    rows: usage(from: $from, to: $to, by: $by, deploymentId: $deploymentId) {
      day deploymentId model
      turns failures inputTokens outputTokens medianResponseTime p95ResponseTime p99ResponseTime cost
    }
    days: usage(from: $from, to: $to, by: [day], deploymentId: $deploymentId) {
      day turns failures inputTokens outputTokens cost
    }
    total: usage(from: $from, to: $to, by: [], deploymentId: $deploymentId) {
      turns failures inputTokens outputTokens medianResponseTime p95ResponseTime p99ResponseTime cost
    }
  }
`);

export const MODEL_PRICES = graphql(`
  query ModelPrices {
    modelPrices { model inputPerMillion outputPerMillion updatedAt }
  }
`);

export const SET_MODEL_PRICE = graphql(`
  mutation SetModelPrice($input: ModelPriceInput!) {
    setModelPrice(input: $input) { model }
  }
`);

export const REMOVE_MODEL_PRICE = graphql(`
  mutation RemoveModelPrice($model: String!) {
    removeModelPrice(model: $model)
  }
`);

export const WORKFLOW_LOGS = graphql(`
  query WorkflowLogs($filter: WorkflowLogFilter, $first: Int, $after: String, $last: Int, $before: String) {
    workflowLogs(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens outputTokens responseTime createdAt
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);
