import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { END_USER_SCOPES } from '../../../contract/scopes.ts';
import type { EndUserIssuer } from '../../../db/generated/client.ts';
import {
  readEndUserIssuer,
  removeEndUserIssuer,
  setEndUserIssuer,
  testEndUserIssuer,
} from '../../../domain/access/end-users/end-user-issuer.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { EnvironmentKindEnum } from './access-enums.ts';

const SCOPE_CLAIM = `The claim with the scopes of a JWT: a list, or text with spaces. Of them ${END_USER_SCOPES.join(' and ')} count.`;

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
      description: `${SCOPE_CLAIM} Null: every JWT has both.`,
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

const SetInput = builder.inputType('SetEndUserIssuerInput', {
  description: 'The server that signs JWTs. It replaces the stored one.',
  fields: (t) => ({
    issuer: t.string({
      required: true,
      description: `The value of \`iss\`, compared exactly. At most ${formatCount(LIMITS.addressLength)} characters.`,
    }),
    audience: t.string({
      required: true,
      description: `A value that \`aud\` must contain: at most ${LIMITS.audienceLength} characters. The other environment of the workspace cannot have the same issuer and audience.`,
    }),
    jwksUrl: t.string({
      required: true,
      description: `The URL of the public keys: a public https URL, at most ${formatCount(LIMITS.addressLength)} characters. Redirects are not followed.`,
    }),
    deploymentIds: t.field({
      type: ['UUID'],
      required: true,
      description: `The deployments that the JWTs work for: 1 to ${LIMITS.endUserIssuerDeployments}.`,
    }),
    scopeClaim: t.string({
      description: `${SCOPE_CLAIM} At most ${LIMITS.claimLength} characters. Default: null, which gives every JWT both.`,
    }),
  }),
});

mutation('setEndUserIssuer', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Sets the server whose JWTs the environment accepts for end users. It can act as any end user of the deployments. Open streams of earlier JWTs end. Needs a session of an owner or admin.',
  input: SetInput,
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
    'Accepts no more JWTs in the environment, on every process. Their open streams end. Needs a session of an owner or admin.',
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
  description: 'Reads the public keys of the issuer with a new request. Needs a session of an owner or admin.',
  errors: ['invalid_request'],
  resolve: async (_input, { domain }) => ({ problem: (await testEndUserIssuer(domain)) ?? null }),
  payload: (t) => ({
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'For people: why the keys cannot be used. Null: they can be used.',
    }),
  }),
});
