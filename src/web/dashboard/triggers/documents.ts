import { graphql } from '../graphql.ts';

export const TRIGGERS = graphql(`
  query Triggers($deploymentId: ID, $first: Int, $after: String, $last: Int, $before: String) {
    triggers(filter: { deploymentId: $deploymentId }, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        triggerId
        deploymentId
        conversationId
        uiSurface
        variables { name value }
        createdAt
        expiresAt
        expired
        chatUrl
        agentUrl
        content { __typename ... on TextPart { text } }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_TRIGGER = graphql(`
  mutation CreateTrigger($input: CreateTriggerInput!) {
    createTrigger(input: $input) {
      __typename
      ... on CreateTriggerPayload {
        trigger { triggerId deploymentId chatUrl agentUrl }
      }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_TRIGGER = graphql(`
  mutation DeleteTrigger($deploymentId: ID!, $triggerId: ID!) {
    deleteTrigger(input: {deploymentId: $deploymentId, triggerId: $triggerId}) {
      __typename
      ... on DeleteTriggerPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
