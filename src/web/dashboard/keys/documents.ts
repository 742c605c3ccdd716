import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql.ts';

export const API_KEYS = graphql(`
  query ApiKeys($first: Int, $after: String, $last: Int, $before: String) {
    apiKeys(first: $first, after: $after, last: $last, before: $before) {
      nodes { apiKeyId name masked scopes requestsPerMinute createdAt lastUsedAt rotatedAt revokedAt
        lastUsedAddress isUnused expiresAt allowedIpRanges deploymentIds previousSecretExpiresAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_KEY = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      __typename
      ... on CreateApiKeyPayload {
        secret
        apiKey { apiKeyId name }
      }
      ... on Error { code message path }
    }
  }
`);

export const UPDATE_KEY = graphql(`
  mutation UpdateApiKey($input: UpdateApiKeyInput!) {
    updateApiKey(input: $input) {
      __typename
      ... on UpdateApiKeyPayload {
        apiKey { apiKeyId }
      }
      ... on Error { code message path }
    }
  }
`);

export const ROTATE_KEY = graphql(`
  mutation RotateApiKey($id: ID!, $overlapHours: Int!) {
    rotateApiKey(input: {id: $id, overlapHours: $overlapHours}) {
      __typename
      ... on RotateApiKeyPayload {
        secret
        apiKey { apiKeyId name previousSecretExpiresAt }
      }
      ... on Error { code message path }
    }
  }
`);

export const REVOKE_KEY = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(input: {id: $id}) {
      __typename
      ... on RevokeApiKeyPayload {
        apiKey { apiKeyId }
      }
      ... on Error { code message path }
    }
  }
`);

export type ApiKey = ResultOf<typeof API_KEYS>['apiKeys']['nodes'][number];
