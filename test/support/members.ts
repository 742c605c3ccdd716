import type { Role } from '../../src/contract/roles.ts';
import type { Answer, Client } from './client.ts';

const UPDATE = `mutation ($id: UUID!, $role: Role!) {
  updateMember(userId: $id, input: { role: $role }) { userId role user { email name } } }`;

const REMOVE = 'mutation ($id: UUID!) { removeMember(userId: $id) { userId role } }';

const INVITE = `mutation ($email: String!, $role: Role!) {
  inviteMember(input: { email: $email, role: $role }) {
    url invitation { invitationId email role invitedBy { email } createdAt expiresAt } } }`;

export const updateMember = (client: Client, key: string, id: string, role: Role): Promise<Answer> =>
  client.graphql(UPDATE, { id, role }, { key });

export const removeMember = (client: Client, key: string, id: string): Promise<Answer> =>
  client.graphql(REMOVE, { id }, { key });

export const invite = (client: Client, key: string, email: string, role: Role = 'viewer'): Promise<Answer> =>
  client.graphql(INVITE, { email, role }, { key });

/** Invites an address, and answers the token of the link. */
export async function invited(client: Client, key: string, email: string, role: Role = 'viewer'): Promise<string> {
  const { body } = await invite(client, key, email, role);
  return body.data.inviteMember.url.split('#token=')[1];
}

const ACCEPT = `mutation ($input: AcceptInvitationInput!) {
  acceptInvitation(input: $input) { token sessionId expiresAt } }`;

let addresses = 0;

/** Accepts from an address of its own, since attempts are limited by address. */
export function accept(client: Client, input: object, key: string | null = null): Promise<Answer> {
  addresses += 1;
  return client.graphql(ACCEPT, { input }, { key, headers: { 'x-forwarded-for': `198.51.100.${addresses}` } });
}
