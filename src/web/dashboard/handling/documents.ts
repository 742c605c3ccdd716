import { graphql } from '../graphql.ts';

export const TAKE_OVER = graphql(`
  mutation TakeOver($input: TakeOverInput!) {
    takeOver(input: $input) {
      __typename
      ... on TakeOverPayload { conversation { conversationId } }
      ... on Error { code message path }
    }
  }
`);

export const HAND_BACK = graphql(`
  mutation HandBack($input: HandBackInput!) {
    handBack(input: $input) {
      __typename
      ... on HandBackPayload { conversation { conversationId } }
      ... on Error { code message path }
    }
  }
`);

export const ASSIGNABLE_MEMBERS = graphql(`
  query AssignableMembers {
    assignableMembers { memberId displayName isMe }
  }
`);

export const ASSIGN_CONVERSATION = graphql(`
  mutation AssignConversation($input: AssignConversationInput!) {
    assignConversation(input: $input) {
      __typename
      ... on AssignConversationPayload { conversation { conversationId } }
      ... on Error { code message path }
    }
  }
`);

export const ADD_NOTE = graphql(`
  mutation AddConversationNote($input: AddConversationNoteInput!) {
    addConversationNote(input: $input) {
      __typename
      ... on AddConversationNotePayload { note { conversationNoteId } }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_NOTE = graphql(`
  mutation DeleteConversationNote($id: ID!) {
    deleteConversationNote(input: {conversationNoteId: $id}) {
      __typename
      ... on DeleteConversationNotePayload { deletedId }
      ... on Error { code message path }
    }
  }
`);

export const SET_PRESENCE = graphql(`
  mutation SetPresence($input: SetPresenceInput!) {
    setPresence(input: $input) {
      __typename
      ... on SetPresencePayload { people { isMe } }
      ... on Error { code message path }
    }
  }
`);

export const PRESENCE = graphql(`
  subscription Presence($id: ID!) {
    presenceChanged(conversationId: $id) { people { displayName kind isMe isTyping } }
  }
`);

export const SUGGEST_REPLY = graphql(`
  mutation SuggestReply($id: ID!) {
    suggestReply(input: {conversationId: $id}) {
      __typename
      ... on SuggestReplyPayload { text }
      ... on Error { code message path }
    }
  }
`);
