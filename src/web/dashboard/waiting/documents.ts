import { graphql } from '../graphql.ts';

export const PENDING_ACTIONS = graphql(`
  query PendingActions($filter: PendingActionFilter, $first: Int, $after: String, $last: Int, $before: String) {
    pendingActions(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { callId name arguments waitingSince expiresAt answerableBy conversation { conversationId name deploymentId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const WAITING_CONVERSATION = graphql(`
  query WaitingConversation($id: ID!) {
    conversation(id: $id) { conversationId name deploymentId }
  }
`);
