import { graphql } from '../graphql.ts';

export const OVERVIEW = graphql(`
  query Overview($before: DateTime!, $from: DateTime!, $to: DateTime!) {
    days: usage(period: { from: $from, to: $to }) {
      day turns failures inputTokens outputTokens medianResponseTime p95ResponseTime
    }
    total: usage(period: { from: $from, to: $to }, groupBy: []) {
      turns failures inputTokens outputTokens medianResponseTime p95ResponseTime cost
    }
    previous: usage(period: { from: $before, to: $from }, groupBy: []) {
      turns failures inputTokens outputTokens medianResponseTime p95ResponseTime cost
    }
  }
`);

export const SETUP_PROGRESS = graphql(`
  query SetupProgress {
    setupProgress { hasModel hasWorkflow hasTest hasPublication hasAccess }
    workflows(first: 1) { nodes { workflowId } }
  }
`);

export const ACTIVE_TURNS = graphql(`
  query ActiveTurns {
    conversations(first: 10, filter: { runStatuses: [RUNNING, WAITING_FOR_CLIENT_ACTION] }) {
      nodes { conversationId name deploymentId status updatedAt latestRun { status model } }
      pageInfo { hasNextPage }
    }
  }
`);

export const NEWEST_FAILURES = graphql(`
  query NewestFailures {
    workflowLogs(first: 8, filter: { outcomes: [FAILED] }) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens cachedInputTokens outputTokens cost responseTime createdAt conversation { name }
      }
    }
  }
`);

export const HAND_OVERS = graphql(`
  query HandOvers($from: DateTime!, $to: DateTime!) {
    handOverReport(period: { from: $from, to: $to }) {
      handOvers taken medianFirstAnswerTime p95FirstAnswerTime waiting oldestWaitingSince
    }
  }
`);
