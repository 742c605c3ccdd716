import { acceptInvitation, openInvitation } from '../domain/access/accept-invitation.ts';
import { type InvitationOffer, readInvitationOffer } from '../domain/access/invitation-offer.ts';
import {
  inviteMember,
  listInvitations,
  type OpenInvitation,
  revokeInvitation,
  type ShownInvitation,
} from '../domain/access/invitations.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { builder } from './builder.ts';
import { RoleEnum } from './enums.ts';
import { COOKIE_FIELD, SignedInObject, signedIn, User } from './sessions.ts';

const Invitation = builder.objectRef<OpenInvitation>('Invitation').implement({
  description: 'An open way into the workspace for one address. Its link is shown by the call that made it, once.',
  fields: (t) => ({
    invitationId: t.exposeID('id', { description: 'For revokeInvitation: inv_ and 26 characters.' }),
    email: t.exposeString('email', { description: 'Whom it is for, in lower case.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they become.' }),
    invitedBy: t.expose('invitedBy', { type: User, description: 'Who made it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'In 7 days from then.' }),
  }),
});

const ShownInvitationObject = builder.objectRef<ShownInvitation>('ShownInvitation').implement({
  description: 'An invitation with its link.',
  fields: (t) => ({
    invitation: t.expose('invitation', {
      type: Invitation,
      description: 'What was sent: to whom, as which role and until when.',
    }),
    url: t.exposeString('url', {
      description: 'The link to give to whoever is invited. Shown this once; it opens the workspace once.',
    }),
  }),
});

builder.queryField('invitations', (t) =>
  t.connection(
    {
      type: Invitation,
      authScopes: { administrator: true },
      description: 'Invitations that are open, newest first. Needs a session of an owner or admin.',
      resolve: (_root, args, { domain }) => listInvitations(domain, args),
    },
    { name: 'InvitationConnection', description: 'A page of invitations.' },
    { name: 'InvitationEdge' },
  ),
);

const InvitationOfferObject = builder.objectRef<InvitationOffer>('InvitationOffer').implement({
  description: 'What an open invitation is an invitation to.',
  fields: (t) => ({
    workspaceName: t.exposeString('workspaceName', { description: 'The workspace that it opens.' }),
    email: t.exposeString('email', { description: 'Whom it is for, in lower case.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they become.' }),
    hasAccount: t.exposeBoolean('hasAccount', {
      description: 'Whether the address has an account, whose password acceptInvitation asks for.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be accepted.' }),
  }),
});

builder.queryField('invitationOffer', (t) =>
  t.field({
    type: InvitationOfferObject,
    nullable: true,
    description:
      'What the link of an invitation leads to, for whoever holds it: no credentials are needed. 60 reads a minute by address. An error not_found where it was used, replaced or revoked, or is too old.',
    args: {
      token: t.arg.string({ required: true, description: 'What stands behind the # of the link, after token=.' }),
    },
    resolve: async (_root, { token }, context) => {
      await context.countByAddress(RATE_LIMITS.invitationRead);
      return readInvitationOffer(context.open, token);
    },
  }),
);

const InviteMemberInput = builder.inputType('InviteMemberInput', {
  description: 'Who is invited.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Of nobody who is a member already; in any case.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'None above that of whoever invites.' }),
  }),
});

builder.mutationField('inviteMember', (t) =>
  t.field({
    type: ShownInvitationObject,
    authScopes: { administrator: true },
    description:
      'Makes a link by which one person joins the workspace, within 7 days. An open one for the same address is replaced. Needs a session of an owner or admin.',
    args: { input: t.arg({ type: InviteMemberInput, required: true, description: 'The person.' }) },
    resolve: (_root, { input }, { domain }) => inviteMember(domain, input),
  }),
);

builder.mutationField('revokeInvitation', (t) =>
  t.field({
    type: Invitation,
    authScopes: { administrator: true },
    description: 'Ends an open invitation at once. Needs a session of an owner or admin.',
    args: { id: t.arg.id({ required: true, description: 'Its id: inv_ and 26 characters.' }) },
    resolve: (_root, { id }, { domain }) => revokeInvitation(domain, id),
  }),
);

const AcceptInvitationInput = builder.inputType('AcceptInvitationInput', {
  description: 'Who joins.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'What stands behind the # of the link, after token=.' }),
    name: t.string({ description: 'For people: 1 to 100 characters. Required for a new account; else not looked at.' }),
    password: t.string({
      description:
        "A new account's, 12 to 256 characters; or that of the account that the address has. Not needed beside a session of it.",
    }),
    cookie: t.boolean(COOKIE_FIELD),
  }),
});

builder.mutationField('acceptInvitation', (t) =>
  t.field({
    type: SignedInObject,
    description:
      'Joins the workspace of an invitation, once, and opens a session in it. No credentials are needed. 10 attempts a minute by account, and by address. An error not_found where the invitation was used, replaced or revoked, or is too old.',
    args: { input: t.arg({ type: AcceptInvitationInput, required: true, description: 'The link, and the account.' }) },
    resolve: async (_root, { input }, context) => {
      await context.countByAddress(RATE_LIMITS.signInByAddress);
      const invitation = await openInvitation(context.open, input.token);
      await context.count(RATE_LIMITS.signInByAccount, invitation.email);
      return signedIn(context, input, await acceptInvitation(context.open, invitation, context.caller, input));
    },
  }),
);
