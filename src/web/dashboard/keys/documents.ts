import { graphql } from '../graphql.ts';

export const API_KEYS = graphql(`
  query ApiKeys($first: Int, $after: String, $last: Int, $before: String) {
    apiKeys(first: $first, after: $after, last: $last, before: $before) {
      nodes { apiKeyId name masked scopes requestsPerMinute createdAt lastUsedAt rotatedAt revokedAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_KEY = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { secret apiKey { apiKeyId name } }
  }
`);

export const UPDATE_KEY = graphql(`
  mutation UpdateApiKey($id: ID!, $input: UpdateApiKeyInput!) {
    updateApiKey(id: $id, input: $input) { apiKeyId }
  }
`);

export const ROTATE_KEY = graphql(`
  mutation RotateApiKey($id: ID!) {
    rotateApiKey(id: $id) { secret apiKey { apiKeyId name } }
  }
`);

export const REVOKE_KEY = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) { apiKeyId }
  }
`);
