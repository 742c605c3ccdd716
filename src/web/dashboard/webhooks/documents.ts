import { graphql } from '../graphql.ts';

export const ENDPOINTS = graphql(`
  query WebhookEndpoints($first: Int, $after: String, $last: Int, $before: String) {
    webhookEndpoints(first: $first, after: $after, last: $last, before: $before) {
      nodes { endpointId url description eventTypes enabled createdAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const ENDPOINT = graphql(`
  query WebhookEndpoint(
    $id: ID!
    $status: WebhookDeliveryStatus
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    webhookEndpoint(id: $id) {
      endpointId url description eventTypes enabled createdAt updatedAt
      deliveries(status: $status, first: $first, after: $after, last: $last, before: $before) {
        nodes {
          deliveryId messageId type status attemptCount nextAttemptAt responseStatus lastError createdAt finishedAt
          attempts { startedAt durationMs responseStatus error }
        }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);

export const CREATE_ENDPOINT = graphql(`
  mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { secret endpoint { endpointId } }
  }
`);

export const UPDATE_ENDPOINT = graphql(`
  mutation UpdateWebhookEndpoint($id: ID!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) { endpointId }
  }
`);

export const ENABLE_ENDPOINT = graphql(`
  mutation EnableWebhookEndpoint($id: ID!) {
    enableWebhookEndpoint(id: $id) { endpointId }
  }
`);

export const DISABLE_ENDPOINT = graphql(`
  mutation DisableWebhookEndpoint($id: ID!) {
    disableWebhookEndpoint(id: $id) { endpointId }
  }
`);

export const ROTATE_SECRET = graphql(`
  mutation RotateWebhookSecret($id: ID!) {
    rotateWebhookSecret(id: $id) { secret }
  }
`);

export const DELETE_ENDPOINT = graphql(`
  mutation DeleteWebhookEndpoint($id: ID!) {
    deleteWebhookEndpoint(id: $id) { endpointId }
  }
`);

export const SEND_TEST = graphql(`
  mutation SendTestWebhook($id: ID!) {
    sendTestWebhook(id: $id) { deliveryId }
  }
`);

export const REPLAY = graphql(`
  mutation ReplayWebhookDelivery($id: ID!) {
    replayWebhookDelivery(id: $id) { deliveryId }
  }
`);
