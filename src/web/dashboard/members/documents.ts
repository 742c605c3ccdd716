import { graphql } from '../graphql.ts';

export const MEMBERS = graphql(`
  query Members($first: Int, $after: String, $last: Int, $before: String) {
    members(first: $first, after: $after, last: $last, before: $before) {
      nodes { userId role joinedAt signInMethods hasSecondFactor user { name email } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const INVITATIONS = graphql(`
  query Invitations($first: Int, $after: String, $last: Int, $before: String) {
    invitations(first: $first, after: $after, last: $last, before: $before) {
      nodes { invitationId email role createdAt expiresAt invitedBy { name email } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const UPDATE_MEMBER = graphql(`
  mutation UpdateMember($userId: ID!, $role: Role!) {
    updateMember(input: {userId: $userId, role: $role}) {
      __typename
      ... on UpdateMemberPayload {
        member { userId role }
      }
      ... on Error { code message path }
    }
  }
`);

export const REMOVE_MEMBER = graphql(`
  mutation RemoveMember($userId: ID!) {
    removeMember(input: {userId: $userId}) {
      __typename
      ... on RemoveMemberPayload {
        member { userId }
      }
      ... on Error { code message path }
    }
  }
`);

export const RESET_SECOND_FACTORS = graphql(`
  mutation ResetSecondFactors($userId: ID!) {
    resetSecondFactors(input: {userId: $userId}) {
      __typename
      ... on ResetSecondFactorsPayload { userId }
      ... on Error { code message path }
    }
  }
`);

export const INVITE_MEMBER = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      __typename
      ... on InviteMemberPayload {
        url
        invitation { email role expiresAt }
      }
      ... on Error { code message path }
    }
  }
`);

export const REVOKE_INVITATION = graphql(`
  mutation RevokeInvitation($id: ID!) {
    revokeInvitation(input: {id: $id}) {
      __typename
      ... on RevokeInvitationPayload {
        invitation { invitationId }
      }
      ... on Error { code message path }
    }
  }
`);
