import { randomUUID } from 'node:crypto';
import type { SendOperation } from './all-operations.ts';
import type { TestService } from './service.ts';
import { makeMember, openSession } from './tenants.ts';

/** A member with the marker as name, and an open invitation for an address with the marker. */
export interface MemberFixture {
  readonly userId: string;
  readonly nodeId: string;
  readonly invitationId: string;
}

export async function createMemberFixture(service: TestService, marker: string): Promise<MemberFixture> {
  const userId = await makeMember(service, 'viewer', { name: marker });
  const inviteResponse = await service.graphql(
    'mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { __typename ... on InviteMemberPayload { invitation { invitationId } } ... on Error { code message path } } }',
    { email: `${marker}-${userId}@example.com` },
    { key: await openSession(service, 'owner') },
  );
  const { invitationId } = inviteResponse.body.data.inviteMember.invitation;
  return { userId, nodeId: Buffer.from(`Member:${userId}`).toString('base64'), invitationId };
}

export const MEMBER = '{ userId role user { name } }';
const INVITATION = '{ invitationId email }';

const graphql =
  (document: string, variables: (fixtures: MemberFixture) => object = () => ({})): SendOperation =>
  (client, key, { member }) =>
    client.graphql(document, variables(member), { key });

/** The request of each root field of members and invitations for the fixtures. */
export const MEMBER_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.members': graphql(`{ members(first: 100) { nodes ${MEMBER} totalCount } }`),
  'Mutation.updateMember': graphql(
    `mutation ($id: ID!) { updateMember(input: { userId: $id, role: DEVELOPER }) { __typename ... on UpdateMemberPayload { member ${MEMBER} } ... on Error { code message path } } }`,
    ({ userId }) => ({ id: userId }),
  ),
  'Mutation.removeMember': graphql(
    `mutation ($id: ID!) { removeMember(input: { userId: $id }) { __typename ... on RemoveMemberPayload { member ${MEMBER} } ... on Error { code message path } } }`,
    ({ userId }) => ({
      id: userId,
    }),
  ),
  'Mutation.resetSecondFactors': graphql(
    'mutation ($id: ID!) { resetSecondFactors(input: { userId: $id }) { __typename ... on ResetSecondFactorsPayload { userId } ... on Error { code message path } } }',
    ({ userId }) => ({ id: userId }),
  ),
  'Query.signInSettings': graphql('{ signInSettings { ssoOnly domains } }'),
  // Every administrator can do this. Only owners can change the provider.
  'Mutation.updateSignInSettings': graphql(
    'mutation { updateSignInSettings(input: { ssoOnly: false }) { __typename ... on UpdateSignInSettingsPayload { signInSettings { ssoOnly } } ... on Error { code message path } } }',
  ),
  'Mutation.testSignInSettings': graphql(
    'mutation { testSignInSettings { __typename ... on TestSignInSettingsPayload { problem } ... on Error { code message path } } }',
  ),
  'Query.savedViews': graphql('{ savedViews { name } }'),
  'Mutation.createSavedView': (client, key) =>
    client.graphql(
      'mutation ($name: String!) { createSavedView(input: { name: $name, parameters: "status=failed" }) { __typename ... on CreateSavedViewPayload { savedView { name } } ... on Error { code message path } } }',
      { name: randomUUID() },
      { key },
    ),
  'Mutation.updateSavedView': graphql(
    'mutation { updateSavedView(input: { id: "view_nobodys", name: "Own" }) { __typename ... on UpdateSavedViewPayload { savedView { name } } ... on Error { code message path } } }',
  ),
  'Mutation.deleteSavedView': graphql(
    'mutation { deleteSavedView(input: { id: "view_nobodys" }) { __typename ... on DeleteSavedViewPayload { savedView { name } } ... on Error { code message path } } }',
  ),
  'Query.invitations': graphql(`{ invitations(first: 100) { nodes ${INVITATION} totalCount } }`),
  'Query.invitationOffer': graphql('{ invitationOffer(token: "invite_nobodys") { email } }'),
  'Mutation.inviteMember': graphql(
    'mutation { inviteMember(input: { email: "own@example.com", role: VIEWER }) { __typename ... on InviteMemberPayload { url } ... on Error { code message path } } }',
  ),
  'Mutation.revokeInvitation': graphql(
    `mutation ($id: ID!) { revokeInvitation(input: { id: $id }) { __typename ... on RevokeInvitationPayload { invitation ${INVITATION} } ... on Error { code message path } } }`,
    ({ invitationId }) => ({ id: invitationId }),
  ),
  'Mutation.acceptInvitation': graphql(
    'mutation { acceptInvitation(input: { token: "invite_nobodys", name: "A", password: "long enough it is" }) { __typename ... on AcceptInvitationPayload { token } ... on Error { code message path } } }',
  ),
};
