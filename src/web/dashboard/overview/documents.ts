import { graphql } from '../graphql.ts';

export const OVERVIEW = graphql(`
  query Overview($from: DateTime!, $to: DateTime!) {
    days: usage(from: $from, to: $to, by: [day]) {
      day turns failures inputTokens outputTokens medianResponseTime p95ResponseTime
    }
    total: usage(from: $from, to: $to, by: []) {
      turns failures inputTokens outputTokens medianResponseTime p95ResponseTime
    }
  }
`);

export const UNDER_WAY = graphql(`
  query UnderWay {
    conversations(first: 10, filter: { runStatuses: [running, waiting_for_client_action] }) {
      nodes { conversationId name deploymentId status updatedAt run { status model } }
      pageInfo { hasNextPage }
    }
  }
`);

export const NEWEST_FAILURES = graphql(`
  query NewestFailures {
    workflowLogs(first: 8, filter: { outcomes: [failed] }) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens outputTokens responseTime createdAt
      }
    }
  }
`);
