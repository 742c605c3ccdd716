import { graphql } from '../graphql.ts';

export const MEMBERS = graphql(`
  query Members($first: Int, $after: String, $last: Int, $before: String) {
    members(first: $first, after: $after, last: $last, before: $before) {
      nodes { userId role joinedAt user { name email } }
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
  mutation UpdateMember($userId: UUID!, $role: Role!) {
    updateMember(userId: $userId, input: { role: $role }) { userId role }
  }
`);

export const REMOVE_MEMBER = graphql(`
  mutation RemoveMember($userId: UUID!) {
    removeMember(userId: $userId) { userId }
  }
`);

export const INVITE_MEMBER = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) { url invitation { email role expiresAt } }
  }
`);

export const REVOKE_INVITATION = graphql(`
  mutation RevokeInvitation($id: ID!) {
    revokeInvitation(id: $id) { invitationId }
  }
`);
