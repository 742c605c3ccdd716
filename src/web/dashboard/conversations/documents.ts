import { graphql } from '../graphql.ts';

export const CONVERSATIONS = graphql(`
  query Conversations($filter: ConversationFilter, $first: Int, $after: String, $last: Int, $before: String) {
    conversations(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { conversationId name deploymentId status messageCount updatedAt meta run { status } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CONVERSATION = graphql(`
  query Conversation($id: UUID!) {
    conversation(conversationId: $id) {
      conversationId name deploymentId status completedAt createdAt updatedAt messageCount meta variables
      run { runId status model inputTokens outputTokens createdAt updatedAt }
      pendingActions { callId name arguments }
    }
  }
`);

export const CONVERSATION_LOG = graphql(`
  query ConversationLog($id: UUID!) {
    workflowLogs(first: 50, filter: { conversationId: $id }) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens outputTokens responseTime createdAt
      }
      pageInfo { hasNextPage }
    }
  }
`);

export const RESUME = graphql(`
  mutation Resume($deploymentId: UUID!, $input: ResumeInput!) {
    resumeAgentTurn(deploymentId: $deploymentId, input: $input) {
      __typename
    }
  }
`);

export const CANCEL_RUN = graphql(`
  mutation CancelRun($id: UUID!) {
    cancelRun(conversationId: $id) { conversationId run { status } }
  }
`);

export const DELETE_CONVERSATION = graphql(`
  mutation DeleteConversation($id: UUID!) {
    deleteConversation(conversationId: $id) { conversationId }
  }
`);
