import type { ResultOf } from 'gql.tada';
import { graphql } from '../../graphql.ts';

/** A turn with its trace. Without the permission `trace` is null. The log and the calls explain when the turn waited. */
export const TRACE = graphql(`
  query RunTrace($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    run(id: $id) {
      runId status model inputTokens cachedInputTokens cacheWriteTokens outputTokens finishReason requestId createdAt updatedAt
      failure { reason message advice }
      conversation { conversationId name deploymentId }
      version { number workflow { workflowId name } }
      workflowLogs(first: 100) { nodes { outcome createdAt responseTime } }
      history(last: 100) { nodes { ... on ClientToolCall { name createdAt answeredBy } } }
      trace {
        requestId keptUntil deploymentId workflowVersion cost inputSavings
        spans(first: $first, after: $after, last: $last, before: $before) {
          nodes {
            __typename spanId step startedAt durationMs requestId isTruncated
            ... on ModelStepSpan {
              model isSummary attempts inputTokens cachedInputTokens cacheWriteTokens outputTokens cost inputSavings finishReason failureReason error
              failedAttempts { message status body }
              prompt { instructions messages messagesLeftOut tools }
              answer { text calls }
            }
            ... on ToolCallSpan { tool callId status arguments result }
          }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    }
  }
`);

export type Run = NonNullable<ResultOf<typeof TRACE>['run']>;

/** A model step, or a call of a server tool. */
export type Span = NonNullable<Run['trace']>['spans']['nodes'][number];
