import { graphql } from '../../graphql.ts';

export const PALETTE_NAMES = graphql(`
  query PaletteNames {
    deployments(first: 100) { nodes { deploymentId name kind } }
    workflows(first: 100) { nodes { workflowId name } }
  }
`);

export const FIND_CONVERSATIONS = graphql(`
  query FindConversationsById($id: ID!) {
    conversations(filter: {anyId: $id}, first: 5) {
      nodes { conversationId name }
    }
  }
`);

export const FIND_BY_ID = graphql(`
  query FindById($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      ... on ApiKey { apiKeyId name }
      ... on Conversation { conversationId name }
      ... on Deployment { deploymentId name }
      ... on Document { documentId name }
      ... on Event { eventId eventType: type subjectId: resourceId }
      ... on Integration { integrationId name }
      ... on Message { conversation { conversationId name } }
      ... on ToolCall { conversation { conversationId name } }
      ... on ActionCall { conversation { conversationId name } }
      ... on ClientToolCall { conversation { conversationId name } }
      ... on Resource { resourceId resourceType: type }
      ... on Run { runId conversation { conversationId name } }
      ... on Trigger { triggerId deploymentId startedId: conversationId }
      ... on WebhookDelivery { deliveryId endpoint { endpointId url } }
      ... on WebhookEndpoint { endpointId url }
      ... on Workflow { workflowId name }
      ... on WorkflowLog { workflowLogId requestId turnOf: conversationId }
    }
  }
`);
