import { graphql } from '../graphql.ts';

export const REGENERATE_TURN = graphql(`
  mutation RegenerateTurn($id: ID!, $messageId: ID, $acknowledgeEffects: Boolean) {
    regenerateTurn(
      input: {conversationId: $id, messageId: $messageId, acknowledgeEffects: $acknowledgeEffects, background: true}
    ) {
      __typename
      ... on RegenerateTurnPayload { turn { __typename } }
      ... on Error { code message path }
      ... on TurnHasEffects { effectCount effects { callId name status } }
    }
  }
`);

export const EDIT_MESSAGE = graphql(`
  mutation EditMessage($id: ID!, $messageId: ID!, $content: [ContentPartInput!]!, $acknowledgeEffects: Boolean) {
    editMessage(
      input: {
        conversationId: $id, messageId: $messageId, content: $content, acknowledgeEffects: $acknowledgeEffects
        background: true
      }
    ) {
      __typename
      ... on EditMessagePayload { turn { __typename } }
      ... on Error { code message path }
      ... on TurnHasEffects { effectCount effects { callId name status } }
    }
  }
`);

export const SELECT_VARIANT = graphql(`
  mutation SelectVariant($id: ID!, $messageId: ID!, $acknowledgeEffects: Boolean) {
    selectVariant(input: {conversationId: $id, messageId: $messageId, acknowledgeEffects: $acknowledgeEffects}) {
      __typename
      ... on SelectVariantPayload { isFork conversation { conversationId } }
      ... on Error { code message path }
      ... on TurnHasEffects { effectCount effects { callId name status } }
    }
  }
`);

export const FORK_CONVERSATION = graphql(`
  mutation ForkConversation($id: ID!, $itemId: ID) {
    forkConversation(input: {conversationId: $id, itemId: $itemId}) {
      __typename
      ... on ForkConversationPayload { conversation { conversationId } }
      ... on Error { code message path }
    }
  }
`);
