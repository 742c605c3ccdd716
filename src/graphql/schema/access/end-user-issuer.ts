import { LIMITS } from '../../../contract/limits.ts';
import type { EndUserIssuer } from '../../../db/generated/client.ts';
import {
  readEndUserIssuer,
  removeEndUserIssuer,
  setEndUserIssuer,
  testEndUserIssuer,
} from '../../../domain/access/end-users/end-user-issuer.ts';
import {
  countEndUserApps,
  type EndUserSignIn,
  endUserRedirectUri,
  signInOf,
} from '../../../domain/access/end-users/sign-in-settings.ts';
import { SCOPE_CLAIM, SET_END_USER_ISSUER } from '../../../shapes/end-users.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { EnvironmentKindEnum } from './access-enums.ts';

const SignInObject = builder.objectRef<EndUserSignIn>('EndUserSignIn').implement({
  description: 'How users sign in at the issuer to connect assistants.',
  fields: (t) => ({
    clientId: t.exposeString('clientId', { description: 'The client ID of Parley at the issuer.' }),
    mcpUrls: t.field({
      type: ['String'],
      description: 'The addresses that assistants of users need, one for each deployment.',
      resolve: ({ mcpUrls }) => mcpUrls,
    }),
    connectedApps: t.int({
      description: `Number of connected assistants of all users. Limit: ${LIMITS.endUserApps} for each user.`,
      resolve: (_signIn, _args, { domain }) => countEndUserApps(domain),
    }),
  }),
});

const IssuerObject = builder.objectRef<EndUserIssuer>('EndUserIssuer').implement({
  description:
    'The server that signs JWTs for your users. Its JWTs give each user access to their own conversations, like a token of `createEndUserToken`.',
  fields: (t) => ({
    issuer: t.exposeString('issuer', { description: 'The value of `iss` in its JWTs.' }),
    audience: t.exposeString('audience', {
      description: 'A value of `aud` in its JWTs. Issuer and audience name the environment of the workspace.',
    }),
    jwksUrl: t.exposeString('jwksUrl', { description: 'The URL of its public keys, a JWKS.' }),
    deploymentIds: t.field({
      type: ['UUID'],
      description: 'The deployments that the JWTs work for.',
      resolve: ({ deploymentIds }) => deploymentIds,
    }),
    scopeClaim: t.exposeString('scopeClaim', {
      nullable: true,
      description: `${SCOPE_CLAIM}. Null: every JWT has both.`,
    }),
    redirectUri: t.string({
      description:
        'The address to register at the issuer for the sign-in of users: where it sends the browser back to.',
      resolve: ({ environmentId }, _args, { domain }) => endUserRedirectUri(domain.services, environmentId),
    }),
    signIn: t.field({
      type: SignInObject,
      nullable: true,
      description: 'How users sign in to connect assistants. Null: they cannot.',
      resolve: (row, _args, { domain }) => signInOf(domain, row),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the settings last changed.' }),
  }),
});

builder.queryField('endUserIssuer', (t) =>
  t.field({
    publishing: 'never',
    type: IssuerObject,
    nullable: true,
    access: { administrator: true },
    description:
      'The server whose JWTs the environment accepts for end users. Null: it accepts no JWT. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readEndUserIssuer(domain),
  }),
);

mutation('setEndUserIssuer', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Sets the server whose JWTs the environment accepts for end users. It can act as any end user of the deployments. Open streams of earlier JWTs end, and so do connected assistants that the new settings do not allow. Needs a session of an owner or admin.',
  input: inputType(SET_END_USER_ISSUER),
  errors: ['invalid_request', 'not_found'],
  resolve: (input, { domain }) => setEndUserIssuer(domain, input),
  payload: (t) => ({
    endUserIssuer: t.field({ type: IssuerObject, description: 'The new settings.', resolve: (row) => row }),
  }),
});

mutation('removeEndUserIssuer', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Accepts no more JWTs in the environment, on every process. Their open streams end, and all assistants of users are disconnected. Needs a session of an owner or admin.',
  errors: ['not_found'],
  resolve: async (_input, { domain }) => {
    await removeEndUserIssuer(domain);
    return { kind: domain.environment.kind };
  },
  payload: (t) => ({
    environment: t.expose('kind', { type: EnvironmentKindEnum, description: 'The environment without an issuer.' }),
  }),
});

mutation('testEndUserIssuer', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Reads the public keys of the issuer with a new request, and its configuration if users can sign in. Needs a session of an owner or admin.',
  errors: ['invalid_request'],
  resolve: async (_input, { domain }) => ({ problem: (await testEndUserIssuer(domain)) ?? null }),
  payload: (t) => ({
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'For people: why the issuer cannot be used. Null: it can be used.',
    }),
  }),
});
