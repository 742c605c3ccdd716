import { graphql } from '../graphql.ts';

export const SIGN_IN_SETTINGS = graphql(`
  query SignInSettings {
    signInSettings {
      oidc { issuer clientId roleClaim roleMap { value role } defaultRole jitMembership }
      ssoOnly secondFactorRequired domains redirectUri
    }
  }
`);

export const UPDATE_SIGN_IN_SETTINGS = graphql(`
  mutation UpdateSignInSettings($input: UpdateSignInSettingsInput!) {
    updateSignInSettings(input: $input) {
      __typename
      ... on UpdateSignInSettingsPayload {
        signInSettings { ssoOnly }
      }
      ... on Error { code message path }
    }
  }
`);

export const TEST_SIGN_IN_SETTINGS = graphql(`
  mutation TestSignInSettings {
    testSignInSettings {
      __typename
      ... on TestSignInSettingsPayload { problem }
      ... on Error { code message path }
    }
  }
`);
