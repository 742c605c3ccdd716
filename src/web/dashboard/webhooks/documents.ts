import { graphql } from '../graphql.ts';

export const ENDPOINTS = graphql(`
  query WebhookEndpoints($first: Int, $after: String, $last: Int, $before: String) {
    webhookEndpoints(first: $first, after: $after, last: $last, before: $before) {
      nodes {
        endpointId url description eventTypes createdAt
        enabled disabledReason consecutiveFailures failingSince pausedUntil
        health { attemptCount deliveredCount medianDurationMs lastFailure { at error } }
      }
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
      endpointId url description eventTypes createdAt updatedAt
      enabled disabledReason consecutiveFailures failingSince pausedUntil
      health { attemptCount deliveredCount medianDurationMs lastFailure { at error } }
      latestReplay { replayId deliveryCount pendingCount deliveredCount failedCount createdAt }
      deliveries(filter: { status: $status }, first: $first, after: $after, last: $last, before: $before) {
        nodes {
          deliveryId messageId type status attemptCount nextAttemptAt responseStatus lastError createdAt finishedAt
          attempts { startedAt durationMs responseStatus error }
        }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);

export const DELIVERY = graphql(`
  query WebhookDelivery($id: ID!) {
    webhookDelivery(id: $id) {
      deliveryId payload
      attempts {
        id startedAt responseStatus error
        requestHeaders { name value }
        response { headers { name value } body isBodyTruncated }
      }
    }
  }
`);

export const REPLAY_PERIOD = graphql(`
  mutation ReplayWebhookDeliveries($input: ReplayWebhookDeliveriesInput!) {
    replayWebhookDeliveries(input: $input) {
      __typename
      ... on ReplayWebhookDeliveriesPayload {
        replay { replayId }
      }
      ... on Error { code message path }
    }
  }
`);

export const CREATE_ENDPOINT = graphql(`
  mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      __typename
      ... on CreateWebhookEndpointPayload {
        secret
        endpoint { endpointId }
      }
      ... on Error { code message path }
    }
  }
`);

export const UPDATE_ENDPOINT = graphql(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(input: $input) {
      __typename
      ... on UpdateWebhookEndpointPayload {
        endpoint { endpointId }
      }
      ... on Error { code message path }
    }
  }
`);

export const ENABLE_ENDPOINT = graphql(`
  mutation EnableWebhookEndpoint($id: ID!) {
    enableWebhookEndpoint(input: {id: $id}) {
      __typename
      ... on EnableWebhookEndpointPayload {
        endpoint { endpointId }
      }
      ... on Error { code message path }
    }
  }
`);

export const DISABLE_ENDPOINT = graphql(`
  mutation DisableWebhookEndpoint($id: ID!) {
    disableWebhookEndpoint(input: {id: $id}) {
      __typename
      ... on DisableWebhookEndpointPayload {
        endpoint { endpointId }
      }
      ... on Error { code message path }
    }
  }
`);

export const ROTATE_SECRET = graphql(`
  mutation RotateWebhookSecret($id: ID!) {
    rotateWebhookSecret(input: {id: $id}) {
      __typename
      ... on RotateWebhookSecretPayload { secret }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_ENDPOINT = graphql(`
  mutation DeleteWebhookEndpoint($id: ID!) {
    deleteWebhookEndpoint(input: {id: $id}) {
      __typename
      ... on DeleteWebhookEndpointPayload {
        endpoint { endpointId }
      }
      ... on Error { code message path }
    }
  }
`);

export const SEND_TEST = graphql(`
  mutation SendTestWebhook($id: ID!) {
    sendTestWebhook(input: {id: $id}) {
      __typename
      ... on SendTestWebhookPayload {
        delivery { deliveryId }
      }
      ... on Error { code message path }
    }
  }
`);

export const REPLAY = graphql(`
  mutation ReplayWebhookDelivery($id: ID!) {
    replayWebhookDelivery(input: {id: $id}) {
      __typename
      ... on ReplayWebhookDeliveryPayload {
        delivery { deliveryId }
      }
      ... on Error { code message path }
    }
  }
`);
