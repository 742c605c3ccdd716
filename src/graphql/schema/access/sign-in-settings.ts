import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import type { RoleMapping } from '../../../domain/access/sso/provider.ts';
import {
  type OidcSettings,
  readSignInSettings,
  type SignInSettings,
  testSignInSettings,
  updateSignInSettings,
} from '../../../domain/access/sso/settings.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { RoleEnum } from './access-enums.ts';

const VALUE = { description: 'A value of the role claim.' } as const;
const ROLE = { type: RoleEnum, description: 'The role for people with this value. The highest role wins.' } as const;

const RoleMappingObject = builder.objectRef<RoleMapping>('RoleMapping').implement({
  description: 'The role for people whose role claim has a value.',
  fields: (t) => ({ value: t.exposeString('value', VALUE), role: t.expose('role', ROLE) }),
});

const OidcObject = builder.objectRef<OidcSettings>('OidcSettings').implement({
  description: 'The OpenID Connect provider of the workspace. No operation returns the client secret.',
  fields: (t) => ({
    issuer: t.exposeString('issuer', { description: 'The issuer, an https URL.' }),
    clientId: t.exposeString('clientId', { description: 'The client ID of Parley at the provider.' }),
    roleClaim: t.exposeString('roleClaim', {
      nullable: true,
      description: 'The claim with the groups of a person. Null: the provider does not decide about roles.',
    }),
    roleMap: t.field({
      type: [RoleMappingObject],
      description: 'Roles for values of the role claim.',
      resolve: ({ roleMap }) => [...roleMap],
    }),
    defaultRole: t.expose('defaultRole', {
      type: RoleEnum,
      description: 'The role of new members, and with a role claim of people without a mapped value.',
    }),
    jitMembership: t.exposeBoolean('jitMembership', {
      description: 'Whether the first sign-in of a person without an invitation makes them a member.',
    }),
  }),
});

const Settings = builder.objectRef<SignInSettings>('SignInSettings').implement({
  description: 'How members of the workspace sign in.',
  fields: (t) => ({
    oidc: t.field({
      type: OidcObject,
      nullable: true,
      description: 'The provider for single sign-on. Null: members sign in with a password.',
      resolve: ({ oidc }) => oidc,
    }),
    ssoOnly: t.exposeBoolean('ssoOnly', {
      description: 'Whether the workspace requires single sign-on. Then passwords open no session of it.',
    }),
    domains: t.stringList({
      description: 'Domains whose email addresses the provider can vouch for. The operator assigns them.',
      resolve: ({ domains }) => [...domains],
    }),
    secondFactorRequired: t.exposeBoolean('secondFactorRequired', {
      description: 'Whether members who sign in with a password need a second factor.',
    }),
    redirectUri: t.exposeString('redirectUri', { description: 'The redirect URI to register at the provider.' }),
  }),
});

const RoleMappingInput = builder.inputType('RoleMappingInput', {
  description: 'The role for people whose role claim has a value.',
  fields: (t) => ({
    value: t.string({ required: true, ...VALUE }),
    role: t.field({ required: true, ...ROLE }),
  }),
});

const OidcInput = builder.inputType('OidcInput', {
  description: 'The OpenID Connect provider. It replaces the stored one. Omitted fields get their default.',
  fields: (t) => ({
    issuer: t.string({
      required: true,
      description: `The issuer: a public https URL, at most ${formatCount(LIMITS.addressLength)} characters.`,
    }),
    clientId: t.string({
      required: true,
      description: `The client ID of Parley at the provider, at most ${LIMITS.clientIdLength} characters.`,
    }),
    clientSecret: t.string({
      description: `The client secret, at most ${formatCount(LIMITS.clientSecretLength)} characters. It is stored encrypted and never shown again. Omit it to keep the stored secret of the same issuer.`,
    }),
    roleClaim: t.string({
      description: `The claim with the groups of a person, at most ${LIMITS.claimLength} characters. Then each sign-in sets the role. Without it, sign-ins change no role.`,
    }),
    roleMap: t.field({
      type: [RoleMappingInput],
      description: `Roles for values of the role claim, at most ${LIMITS.roleMapEntries}. Without a value for OWNER, owners keep their role. The last owner always does.`,
    }),
    defaultRole: t.field({
      type: RoleEnum,
      required: true,
      description: 'The role of new members, and with a role claim of people without a mapped value. Not OWNER.',
    }),
    jitMembership: t.boolean({
      description:
        'Whether the first sign-in of a person without an invitation makes them a member. Default: false, which rejects them.',
    }),
  }),
});

builder.queryField('signInSettings', (t) =>
  t.field({
    publishing: 'never',
    type: Settings,
    access: { administrator: true },
    description: 'How members of the workspace sign in. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readSignInSettings(domain),
  }),
);

const UpdateInput = builder.inputType('UpdateSignInSettingsInput', {
  description: 'Changes to the sign-in settings. Omitted fields stay as they are.',
  fields: (t) => ({
    oidc: t.field({
      type: OidcInput,
      description: 'The provider. Null removes it, and members sign in with a password again. Needs an owner.',
    }),
    ssoOnly: t.boolean({
      description:
        'Whether the workspace requires single sign-on. The caller must have used it once, so a wrong provider locks nobody out. true ends the other sessions that a password opened. Null keeps the value.',
    }),
    secondFactorRequired: t.boolean({
      description:
        'Whether members who sign in with a password need a second factor. Needs an owner whose session proved one, or single sign-on. true ends the sessions that a password alone opened: their members set up a factor when they sign in again. Null keeps the value.',
    }),
  }),
});

mutation('updateSignInSettings', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Changes how members of the workspace sign in. Needs a session of an owner or admin. Only an owner can change the provider, because it can vouch for any member.',
  input: UpdateInput,
  errors: ['invalid_request'],
  resolve: (input, { domain }) => updateSignInSettings(domain, input),
  payload: (t) => ({
    signInSettings: t.field({ type: Settings, description: 'The new settings.', resolve: (settings) => settings }),
  }),
});

mutation('testSignInSettings', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Requests the configuration of the provider. It does not check the client ID and the secret: only a sign-in does. Needs a session of an owner or admin.',
  errors: ['invalid_request'],
  resolve: async (_input, { domain }) => ({ problem: (await testSignInSettings(domain)) ?? null }),
  payload: (t) => ({
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'For people: why the provider cannot be used. Null: it can be used.',
    }),
  }),
});
