import type { Ask } from './every-field.ts';
import type { TestService } from './service.ts';
import { makeMember, openSession } from './tenants.ts';

/** A member of the workspace with the marker for a name, and an open invitation of its address. */
export interface PlantedMember {
  readonly userId: string;
  readonly nodeId: string;
  readonly invitationId: string;
}

export async function plantMember(service: TestService, marker: string): Promise<PlantedMember> {
  const userId = await makeMember(service, 'viewer', { name: marker });
  const invited = await service.graphql(
    'mutation ($email: String!) { inviteMember(input: { email: $email, role: viewer }) { invitation { invitationId } } }',
    { email: `${marker}-${userId}@example.com` },
    { key: await openSession(service, 'owner') },
  );
  const { invitationId } = invited.body.data.inviteMember.invitation;
  return { userId, nodeId: Buffer.from(`Member:${userId}`).toString('base64'), invitationId };
}

export const MEMBER = '{ userId role user { name } }';
const INVITATION = '{ invitationId email }';

const ask =
  (document: string, variables: (planted: PlantedMember) => object = () => ({})): Ask =>
  (client, key, { member }) =>
    client.graphql(document, variables(member), { key });

/** How each root field of members and invitations is asked for what was planted. */
export const MEMBER_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.members': ask(`{ members(first: 100) { nodes ${MEMBER} totalCount } }`),
  'Mutation.updateMember': ask(
    `mutation ($id: UUID!) { updateMember(userId: $id, input: { role: developer }) ${MEMBER} }`,
    ({ userId }) => ({ id: userId }),
  ),
  'Mutation.removeMember': ask(`mutation ($id: UUID!) { removeMember(userId: $id) ${MEMBER} }`, ({ userId }) => ({
    id: userId,
  })),
  'Query.invitations': ask(`{ invitations(first: 100) { nodes ${INVITATION} totalCount } }`),
  'Query.invitationOffer': ask('{ invitationOffer(token: "invite_nobodys") { email } }'),
  'Mutation.inviteMember': ask('mutation { inviteMember(input: { email: "own@example.com", role: viewer }) { url } }'),
  'Mutation.revokeInvitation': ask(
    `mutation ($id: ID!) { revokeInvitation(id: $id) ${INVITATION} }`,
    ({ invitationId }) => ({ id: invitationId }),
  ),
  'Mutation.acceptInvitation': ask(
    'mutation { acceptInvitation(input: { token: "invite_nobodys", name: "A", password: "long enough it is" }) { token } }',
  ),
};
