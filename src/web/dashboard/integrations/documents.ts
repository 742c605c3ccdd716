import { graphql } from '../graphql.ts';

export const INTEGRATIONS = graphql(`
  query Integrations($connected: Boolean, $first: Int, $after: String, $last: Int, $before: String) {
    integrations(connected: $connected, first: $first, after: $after, last: $last, before: $before) {
      nodes { integrationId kind name url headerNames connected connectedAt disconnectedAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CONNECT_INTEGRATION = graphql(`
  mutation ConnectIntegration($input: ConnectIntegrationInput!) {
    connectIntegration(input: $input) { integrationId }
  }
`);

export const UPDATE_INTEGRATION = graphql(`
  mutation UpdateIntegration($id: ID!, $input: UpdateIntegrationInput!) {
    updateIntegration(id: $id, input: $input) { integrationId }
  }
`);

export const DISCONNECT_INTEGRATION = graphql(`
  mutation DisconnectIntegration($id: ID!) {
    disconnectIntegration(id: $id) { integrationId }
  }
`);
