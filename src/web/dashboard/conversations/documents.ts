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
      conversationId name deploymentId status completedAt createdAt updatedAt messageCount meta variables { name value }
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
  mutation Resume($input: ResumeAgentTurnInput!) {
    resumeAgentTurn(input: $input) {
      __typename
      ... on ResumeAgentTurnPayload {
        turn { __typename }
      }
      ... on Error { code message path }
    }
  }
`);

export const STOP_TURN = graphql(`
  mutation StopTurn($id: UUID!) {
    stopTurn(input: {conversationId: $id}) {
      __typename
      ... on StopTurnPayload {
        conversation {
          conversationId
          run { status }
        }
      }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_CONVERSATION = graphql(`
  mutation DeleteConversation($id: UUID!) {
    deleteConversation(input: {conversationId: $id}) {
      __typename
      ... on DeleteConversationPayload { conversationId }
      ... on Error { code message path }
    }
  }
`);
