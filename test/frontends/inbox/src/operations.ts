import { graphql } from './gql/gql.ts';

export const SIGN_IN = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      __typename
      ... on SignInPayload { token }
      ... on Error { message }
    }
  }
`);

export const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut { __typename }
  }
`);

graphql(`
  fragment Row on Conversation {
    id
    conversationId
    deploymentId
    name
    status
    meta
    latestRun { id status failure { message advice } }
  }
`);

graphql(`
  fragment Item on HistoryItem {
    __typename
    id
    ... on Message {
      role
      content {
        ... on TextPart { text }
        ... on FilePart { file { id name } }
      }
    }
    ... on Call { name summary callStatus: status }
    ... on ClientToolCall { callId arguments answerableBy }
  }
`);

export const CONVERSATIONS = graphql(`
  query Conversations($filter: ConversationFilter, $after: String) {
    conversations(first: 10, filter: $filter, after: $after) {
      followCursor
      nodes { ...Row }
      pageInfo { endCursor hasNextPage }
    }
  }
`);

export const CONVERSATIONS_CHANGED = graphql(`
  subscription ConversationsChanged($filter: ListedConversationFilter, $after: String) {
    conversationsChanged(filter: $filter, after: $after) {
      cursor
      conversationId
      matches
      conversation { ...Row }
    }
  }
`);

export const CONVERSATION = graphql(`
  query Conversation($id: ID!) {
    conversation(id: $id) {
      ...Row
      history(last: 50) {
        followCursor
        nodes { ...Item }
      }
    }
  }
`);

export const CONVERSATION_CHANGED = graphql(`
  subscription ConversationChanged($id: ID!, $after: String) {
    conversationChanged(conversationId: $id, after: $after) {
      cursor
      conversation { ...Row }
      items { ...Item }
    }
  }
`);

export const DEPLOYMENTS = graphql(`
  query Deployments {
    deployments(first: 50) {
      nodes { id deploymentId name kind }
    }
  }
`);

export const SEND = graphql(`
  mutation Send($input: RunAgentTurnInput!) {
    runAgentTurn(input: $input) {
      __typename
      ... on RunAgentTurnPayload {
        turn { ... on StartedTurn { conversationId } }
      }
      ... on Error { message }
    }
  }
`);

export const ANSWER = graphql(`
  mutation Answer($input: ResumeAgentTurnInput!) {
    resumeAgentTurn(input: $input) {
      __typename
      ... on Error { message }
    }
  }
`);

export const LABEL = graphql(`
  mutation Label($input: UpdateConversationInput!) {
    updateConversation(input: $input) {
      __typename
      ... on UpdateConversationPayload { conversation { ...Row } }
      ... on Error { message }
    }
  }
`);

export const DELETE = graphql(`
  mutation Delete($input: DeleteConversationInput!) {
    deleteConversation(input: $input) {
      __typename
      ... on DeleteConversationPayload { deletedId }
      ... on Error { message }
    }
  }
`);

export const CREATE_UPLOAD = graphql(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) {
      __typename
      ... on CreateUploadPayload {
        fileUri
        upload { fileId url method headers { name value } }
      }
      ... on Error { message }
    }
  }
`);

export const COMPLETE_UPLOAD = graphql(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      __typename
      ... on Error { message }
    }
  }
`);
