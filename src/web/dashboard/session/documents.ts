import { graphql } from '../graphql.ts';

export const ME = graphql(`
  query Me {
    me {
      role
      scopes
      environment
      expiresAt
      user { userId name email }
      workspace { workspaceId name currency }
      emailVerifiedAt
      signInMethods
      belongsTo { workspaceId name role signInMethods }
    }
  }
`);

export const SIGN_IN = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      __typename
      ... on SignInPayload { sessionId expiresAt }
      ... on SecondFactorRequired { ticket methods enrolmentRequired passkeyOptions }
      ... on Error { code message path }
    }
  }
`);

export const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut {
      __typename
      ... on SignOutPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);

export const ACCEPT_INVITATION = graphql(`
  mutation AcceptInvitation($input: AcceptInvitationInput!) {
    acceptInvitation(input: $input) {
      __typename
      ... on AcceptInvitationPayload { sessionId expiresAt }
      ... on SecondFactorRequired { ticket methods enrolmentRequired passkeyOptions }
      ... on Error { code message path }
    }
  }
`);

export const REQUEST_PASSWORD_RESET = graphql(`
  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
    requestPasswordReset(input: $input) {
      __typename
      ... on RequestPasswordResetPayload { minutes }
      ... on Error { code message path }
    }
  }
`);

export const RESET_PASSWORD = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input) {
      __typename
      ... on ResetPasswordPayload { email }
      ... on Error { code message path }
    }
  }
`);

export const INVITATION_OFFER = graphql(`
  query InvitationOffer($token: String!) {
    invitationOffer(token: $token) { workspaceName email role hasAccount emailed }
  }
`);
