import { LIMITS } from '../../../contract/limits.ts';
import { acceptInvitation, openInvitation } from '../../../domain/access/members/accept-invitation.ts';
import { type InvitationOffer, readInvitationOffer } from '../../../domain/access/members/invitation-offer.ts';
import {
  countInvitation,
  findInvitations,
  inviteMember,
  listInvitations,
  type OpenInvitation,
  revokeInvitation,
} from '../../../domain/access/members/invitations.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { INVITE_MEMBER } from '../../../shapes/accounts.ts';
import { ACCEPT_INVITATION } from '../../../shapes/sign-in.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { RoleEnum } from './access-enums.ts';
import { sessionFields, signedIn } from './sign-in.ts';
import { User } from './workspaces.ts';

export const Invitation = builder.node(builder.objectRef<OpenInvitation>('Invitation'), {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeAdministrator: true } satisfies NodeExtensions,
  loadMany: async (ids, { domain }) => {
    const invitations = await findInvitations(domain, ids);
    return ids.map((id) => invitations.find((invitation) => invitation.id === id) ?? null);
  },
  description: 'An open invitation to the workspace. Only inviteMember returns its link.',
  fields: (t) => ({
    invitationId: t.exposeID('id', { description: 'The ID: inv_ and 26 characters.' }),
    email: t.exposeString('email', { description: 'The invited email address, in lower case.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role of the new member.' }),
    invitedBy: t.expose('invitedBy', { type: User, description: 'The member who sent the invitation.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: `When it expires: ${LIMITS.invitationDays} days after its creation.`,
    }),
  }),
});

builder.queryField('invitations', (t) =>
  t.connection(
    {
      publishing: 'never',
      type: Invitation,
      access: { administrator: true },
      description: 'Open invitations, newest first. Needs a session of an owner or admin.',
      resolve: (_root, args, { domain }) => listInvitations(domain, args),
    },
    { name: 'InvitationConnection', description: 'A page of invitations.' },
    { name: 'InvitationEdge' },
  ),
);

const InvitationOfferObject = builder.objectRef<InvitationOffer>('InvitationOffer').implement({
  description: 'What the link of an open invitation shows before it is accepted.',
  fields: (t) => ({
    workspaceName: t.exposeString('workspaceName', { description: 'The name of the workspace.' }),
    email: t.exposeString('email', { description: 'The invited email address, in lower case.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role of the new member.' }),
    hasAccount: t.exposeBoolean('hasAccount', {
      description:
        'Whether the email address has an account. Then acceptInvitation needs its password. Always false unless `emailed`, because the inviter has the link too: the address may have an account.',
    }),
    emailed: t.exposeBoolean('emailed', {
      description:
        'Whether only the owner of the email address received the link. Accepting it then verifies the address.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires.' }),
  }),
});

builder.queryField('invitationOffer', (t) =>
  t.field({
    publishing: 'never',
    type: InvitationOfferObject,
    nullable: true,
    description: `Reads an invitation by the token of its link. Needs no credentials. Limit: ${RATE_LIMITS.invitationRead.points} requests per minute per IP address. Null: it does not exist, was used, replaced or revoked, or has expired.`,
    args: {
      token: t.arg.string({ required: true, description: 'The value of token= in the fragment of the link.' }),
    },
    resolve: async (_root, { token }, context) => {
      await context.countByAddress(RATE_LIMITS.invitationRead);
      return readInvitationOffer(context.open, token);
    },
  }),
);

mutation('inviteMember', {
  publishing: 'never',
  access: { administrator: true },
  description: `Creates a link with which one person can join the workspace within ${LIMITS.invitationDays} days. It replaces an open invitation for the same email address. Needs a session of an owner or admin. Limits: ${RATE_LIMITS.invitationsToAddress.points} invitations per hour for one address, ${RATE_LIMITS.invitationsByMember.points} per hour by one member, ${RATE_LIMITS.invitationsToWorkspace.points} per day to one workspace.`,
  input: inputType(INVITE_MEMBER),
  errors: ['invalid_request'],
  resolve: async (input, context) => {
    await countInvitation(context.domain, input, (limit, key) => context.count(limit, key));
    return inviteMember(context.domain, input);
  },
  payload: (t) => ({
    invitation: t.expose('invitation', { type: Invitation, description: 'The new invitation, without its link.' }),
    url: t.exposeString('url', {
      nullable: true,
      description:
        'The link for the invited person. It is shown only once and works only once. Null: the service sends it to them by email, and shows it to nobody else.',
    }),
    emailed: t.boolean({
      description: `Whether the service sends the link to the invited person. False: SMTP_URL is not set, or too many mails of the workspace wait. An address gets at most ${RATE_LIMITS.invitationMails.points} mails with invitations per day, from all workspaces.`,
      resolve: ({ url }) => url === null,
    }),
  }),
});

const RevokeInvitationInput = builder.inputType('RevokeInvitationInput', {
  description: 'The invitation to revoke.',
  fields: (t) => ({ id: t.id({ required: true, idOf: 'Invitation', description: 'The ID: inv_ and 26 characters.' }) }),
});

mutation('revokeInvitation', {
  publishing: 'never',
  access: { administrator: true },
  description: 'Revokes an open invitation immediately. Needs a session of an owner or admin.',
  input: RevokeInvitationInput,
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => revokeInvitation(domain, id),
  payload: (t) => ({
    deletedId: deletedId(t, 'Invitation', ({ id }) => id),
    invitation: t.field({ type: Invitation, description: 'Its last state.', resolve: (invitation) => invitation }),
  }),
});

mutation('acceptInvitation', {
  publishing: 'never',
  description: `Accepts an invitation, once, and creates a session. Needs no credentials. Limit: ${RATE_LIMITS.signInByAccount.points} attempts per minute per account, and per IP address. Error not_found if the invitation was used, replaced or revoked, or has expired. Error unauthorized if the password is wrong, or the workspace requires single sign-on. Error invalid_request if the address of the account is not verified and the inviter saw the link. Error second_factor_required after the person has joined, if the session needs a second factor.`,
  input: inputType(ACCEPT_INVITATION),
  errors: ['invalid_request', 'not_found', 'second_factor_required', 'unauthorized'],
  resolve: async (input, context) => {
    await context.countByAddress(RATE_LIMITS.signInByAddress);
    const invitation = await openInvitation(context.open, input.token);
    await context.count(RATE_LIMITS.signInByAccount, invitation.email);
    return signedIn(context, input, await acceptInvitation(context.open, invitation, context.caller, input));
  },
  payload: sessionFields,
});
