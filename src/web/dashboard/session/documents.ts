import { graphql } from '../graphql.ts';

export const ME = graphql(`
  query Me {
    me {
      role
      scopes
      environment
      expiresAt
      user { userId name email }
      workspace { workspaceId name }
      belongsTo { workspaceId name role }
    }
  }
`);

export const SIGN_IN = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) { sessionId expiresAt }
  }
`);

export const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut
  }
`);

export const ACCEPT_INVITATION = graphql(`
  mutation AcceptInvitation($input: AcceptInvitationInput!) {
    acceptInvitation(input: $input) { sessionId expiresAt }
  }
`);

export const INVITATION_OFFER = graphql(`
  query InvitationOffer($token: String!) {
    invitationOffer(token: $token) { workspaceName email role hasAccount }
  }
`);
