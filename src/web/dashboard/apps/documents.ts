import { graphql } from '../graphql.ts';

export const CONNECTION_REQUEST = graphql(`
  query ConnectionRequest($requestId: String!) {
    connectionRequest(request: $requestId) {
      request clientId clientName clientHost redirectHost isLoopback expiresAt
      scopes { scope canAllow }
    }
  }
`);

export const ALLOW_APP = graphql(`
  mutation AllowApp($input: AllowAppInput!) {
    allowApp(input: $input) {
      __typename
      ... on AllowAppPayload { redirectUrl }
      ... on Error { code message path }
    }
  }
`);

export const DENY_APP = graphql(`
  mutation DenyApp($requestId: String!) {
    denyApp(input: {request: $requestId}) {
      __typename
      ... on DenyAppPayload { redirectUrl }
      ... on Error { code message path }
    }
  }
`);

export const CONNECTED_APPS = graphql(`
  query ConnectedApps {
    connectedApps { appId clientId clientName clientHost environment scopes createdAt lastUsedAt expiresAt }
  }
`);

export const DISCONNECT_APP = graphql(`
  mutation DisconnectApp($appId: ID!) {
    disconnectApp(input: {appId: $appId}) {
      __typename
      ... on DisconnectAppPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
