import { enumNameOf } from '../../src/contract/enum-names.ts';
import type { Role } from '../../src/contract/roles.ts';
import type { Client, HttpResponse } from './client.ts';

const UPDATE = `mutation ($id: ID!, $role: Role!) {
  updateMember(input: { userId: $id, role: $role }) { __typename ... on UpdateMemberPayload { member { userId role user { email name } } } ... on Error { code message path } } }`;

const REMOVE =
  'mutation ($id: ID!) { removeMember(input: { userId: $id }) { __typename ... on RemoveMemberPayload { member { userId role } } ... on Error { code message path } } }';

const INVITE = `mutation ($email: String!, $role: Role!) {
  inviteMember(input: { email: $email, role: $role }) { __typename ... on InviteMemberPayload {
    url invitation { invitationId email role invitedBy { email } createdAt expiresAt } } ... on Error { code message path } } }`;

export const updateMember = (client: Client, key: string, id: string, role: Role): Promise<HttpResponse> =>
  client.graphql(UPDATE, { id, role: enumNameOf(role) }, { key });

export const removeMember = (client: Client, key: string, id: string): Promise<HttpResponse> =>
  client.graphql(REMOVE, { id }, { key });

export const invite = (client: Client, key: string, email: string, role: Role = 'viewer'): Promise<HttpResponse> =>
  client.graphql(INVITE, { email, role: enumNameOf(role) }, { key });

/** Invites an address. Returns the token of the link. */
export async function inviteToken(client: Client, key: string, email: string, role: Role = 'viewer'): Promise<string> {
  const { body } = await invite(client, key, email, role);
  return body.data.inviteMember.url.split('#token=')[1];
}

const ACCEPT = `mutation ($input: AcceptInvitationInput!) {
  acceptInvitation(input: $input) { __typename ... on AcceptInvitationPayload { token sessionId expiresAt } ... on Error { code message path } } }`;

let addresses = 0;

/** Accepts from a new address each time, because attempts are limited per address. */
export function accept(client: Client, input: object, key: string | null = null): Promise<HttpResponse> {
  addresses += 1;
  return client.graphql(ACCEPT, { input }, { key, headers: { 'x-forwarded-for': `198.51.100.${addresses}` } });
}
