import { graphql } from '../graphql.ts';

export const INTEGRATIONS = graphql(`
  query Integrations($connected: Boolean, $first: Int, $after: String, $last: Int, $before: String) {
    integrations(filter: { connected: $connected }, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        integrationId kind name url headerNames trustsHints connected connectedAt disconnectedAt
        signIn { state problem issuer scopes signedInAt signedInBy { name } accessExpiresAt renewsAutomatically }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const MCP_TOOLS = graphql(`
  query McpTools($id: ID!) {
    integration(id: $id) {
      mcpTools { tools { name readOnly } leftOutTools { name reason } problem }
      lastError
      lastErrorAt
    }
  }
`);

export const CONNECT_INTEGRATION = graphql(`
  mutation ConnectIntegration($input: ConnectIntegrationInput!) {
    connectIntegration(input: $input) {
      __typename
      ... on ConnectIntegrationPayload {
        integration { integrationId }
      }
      ... on Error { code message path }
    }
  }
`);

export const SIGN_IN_TO_INTEGRATION = graphql(`
  mutation SignInToIntegration($input: SignInToIntegrationInput!) {
    signInToIntegration(input: $input) {
      __typename
      ... on SignInToIntegrationPayload { authorizationUrl }
      ... on Error { code message path }
    }
  }
`);

export const SIGN_OUT_OF_INTEGRATION = graphql(`
  mutation SignOutOfIntegration($id: ID!) {
    signOutOfIntegration(input: {id: $id}) {
      __typename
      ... on SignOutOfIntegrationPayload {
        integration { integrationId }
      }
      ... on Error { code message path }
    }
  }
`);

export const UPDATE_INTEGRATION = graphql(`
  mutation UpdateIntegration($input: UpdateIntegrationInput!) {
    updateIntegration(input: $input) {
      __typename
      ... on UpdateIntegrationPayload {
        integration { integrationId }
      }
      ... on Error { code message path }
    }
  }
`);

export const DISCONNECT_INTEGRATION = graphql(`
  mutation DisconnectIntegration($id: ID!) {
    disconnectIntegration(input: {id: $id}) {
      __typename
      ... on DisconnectIntegrationPayload {
        integration { integrationId }
      }
      ... on Error { code message path }
    }
  }
`);
