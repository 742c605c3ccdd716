import { graphql } from '../graphql.ts';

export const END_USER_ISSUER = graphql(`
  query EndUserIssuer {
    endUserIssuer {
      issuer audience jwksUrl deploymentIds scopeClaim redirectUri updatedAt
      signIn { clientId mcpUrls connectedApps }
    }
  }
`);

export const SET_END_USER_ISSUER = graphql(`
  mutation SetEndUserIssuer($input: SetEndUserIssuerInput!) {
    setEndUserIssuer(input: $input) {
      __typename
      ... on SetEndUserIssuerPayload {
        endUserIssuer { issuer }
      }
      ... on Error { code message path }
    }
  }
`);

export const REMOVE_END_USER_ISSUER = graphql(`
  mutation RemoveEndUserIssuer {
    removeEndUserIssuer {
      __typename
      ... on RemoveEndUserIssuerPayload { environment }
      ... on Error { code message path }
    }
  }
`);

export const TEST_END_USER_ISSUER = graphql(`
  mutation TestEndUserIssuer {
    testEndUserIssuer {
      __typename
      ... on TestEndUserIssuerPayload { problem }
      ... on Error { code message path }
    }
  }
`);
