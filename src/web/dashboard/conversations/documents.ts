import { graphql } from '../graphql.ts';
import { HANDLING } from '../handling/fragment.ts';

export const CONVERSATIONS = graphql(`
  query Conversations(
    $filter: ConversationFilter, $text: String, $orderBy: ConversationOrder,
    $first: Int, $after: String, $last: Int, $before: String
  ) {
    conversations(
      filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before
    ) {
      nodes {
        conversationId name deploymentId status messageCount createdAt updatedAt meta
        latestRun { status failure { message } } ratings { up down } usage { responseTimeMs cost }
        excerpt(text: $text) { role parts { text isMatch } }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CONVERSATION_TOTALS = graphql(`
  query ConversationTotals($filter: ConversationFilter) {
    conversationTotals(filter: $filter) {
      conversations
      usage { turns failures inputTokens outputTokens cost }
    }
  }
`);

export const CONVERSATIONS_OF_ID = graphql(`
  query ConversationsOfId($id: ID!) {
    conversations(filter: {anyId: $id}, first: 5) {
      nodes { conversationId name }
    }
  }
`);

export const SAVED_VIEWS = graphql(`
  query SavedViews {
    savedViews { savedViewId name parameters }
  }
`);

export const CREATE_SAVED_VIEW = graphql(`
  mutation CreateSavedView($input: CreateSavedViewInput!) {
    createSavedView(input: $input) {
      __typename
      ... on CreateSavedViewPayload { savedView { savedViewId } }
      ... on Error { code message path }
    }
  }
`);

export const UPDATE_SAVED_VIEW = graphql(`
  mutation UpdateSavedView($input: UpdateSavedViewInput!) {
    updateSavedView(input: $input) {
      __typename
      ... on UpdateSavedViewPayload { savedView { savedViewId } }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_SAVED_VIEW = graphql(`
  mutation DeleteSavedView($id: ID!) {
    deleteSavedView(input: {id: $id}) {
      __typename
      ... on DeleteSavedViewPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);

export const CONVERSATION = graphql(
  `
  query Conversation($id: ID!) {
    conversation(id: $id) {
      conversationId name deploymentId endUser status completedAt createdAt updatedAt messageCount meta variables { name value }
      latestRun { runId status model inputTokens outputTokens createdAt updatedAt failure { message } }
      handling { ...Handling } assignee { memberId displayName isMe }
      notes(last: 50) { nodes { conversationNoteId text isMine createdAt author { displayName } } pageInfo { hasPreviousPage } }
      version { number } forkedFrom { conversationId name }
      forks(first: 20) { nodes { conversationId name createdAt } pageInfo { hasNextPage } }
      runs(first: 100) { nodes { runId status createdAt requestId failure { message advice } } }
      history(last: 100, filter: { include: [SUMMARIES] }) { nodes {
        __typename
        itemId
        run { runId }
        ... on ClientToolCall { callId answeredBy }
        ... on ConversationSummary { lastItemId text }
        ... on Message { rating { value comment ratedAt } variants { position itemIds } }
      } }
    }
  }
`,
  [HANDLING],
);

export const CONVERSATION_LOG = graphql(`
  query ConversationLog($id: ID!) {
    workflowLogs(first: 50, filter: { conversationId: $id }) {
      nodes {
        workflowLogId conversationId deploymentId workflowVersion triggerId requestId
        outcome errorCode model inputTokens cachedInputTokens outputTokens cost responseTime createdAt
      }
      pageInfo { hasNextPage }
    }
  }
`);

export const STOP_TURN = graphql(`
  mutation StopTurn($id: ID!) {
    stopTurn(input: {conversationId: $id}) {
      __typename
      ... on StopTurnPayload {
        conversation {
          conversationId
          latestRun { status }
        }
      }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_CONVERSATION = graphql(`
  mutation DeleteConversation($id: ID!) {
    deleteConversation(input: {conversationId: $id}) {
      __typename
      ... on DeleteConversationPayload { conversationId }
      ... on Error { code message path }
    }
  }
`);
