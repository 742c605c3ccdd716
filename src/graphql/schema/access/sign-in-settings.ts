import type { RoleMapping } from '../../../domain/access/sso/provider.ts';
import {
  type OidcSettings,
  readSignInSettings,
  type SignInSettings,
  testSignInSettings,
  updateSignInSettings,
} from '../../../domain/access/sso/settings.ts';
import { outputText } from '../../../shapes/descriptions.ts';
import { ROLE_MAPPING, UPDATE_SIGN_IN_SETTINGS } from '../../../shapes/sign-in-settings.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { RoleEnum } from './access-enums.ts';

const RoleMappingObject = builder.objectRef<RoleMapping>('RoleMapping').implement({
  description: 'The role for people whose role claim has a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: outputText(ROLE_MAPPING.fields.value) }),
    role: t.expose('role', { type: RoleEnum, description: outputText(ROLE_MAPPING.fields.role) }),
  }),
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

builder.queryField('signInSettings', (t) =>
  t.field({
    publishing: 'never',
    type: Settings,
    access: { administrator: true },
    description: 'How members of the workspace sign in. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readSignInSettings(domain),
  }),
);

mutation('updateSignInSettings', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Changes how members of the workspace sign in. Needs a session of an owner or admin. Only an owner can change the provider, because it can vouch for any member.',
  input: inputType(UPDATE_SIGN_IN_SETTINGS),
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
