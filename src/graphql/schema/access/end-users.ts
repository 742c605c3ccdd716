import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { END_USER_SCOPES } from '../../../contract/scopes.ts';
import { createEndUserToken, revokeEndUserTokens } from '../../../domain/access/end-users/end-user-tokens.ts';
import { eraseEndUser } from '../../../domain/conversations/erase-end-user.ts';
import { DEPLOYMENT_ID } from '../agent/turn-inputs.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { ScopeEnum } from './access-enums.ts';

const END_USER = {
  required: true,
  description: `Your own ID of the user: 1 to ${LIMITS.endUserLength} characters, not blank.`,
} as const;

const CreateEndUserTokenInput = builder.inputType('CreateEndUserTokenInput', {
  description: 'The user and the deployment of a new token.',
  fields: (t) => ({
    deploymentId: t.field(DEPLOYMENT_ID),
    endUser: t.string(END_USER),
    ttlSeconds: t.int({
      required: true,
      description: `Seconds until the token expires: 1 to ${formatCount(LIMITS.endUserTokenSeconds)}.`,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      description: `The permissions of the token: ${END_USER_SCOPES.join(', ')}, or one of them. Default: both.`,
    }),
  }),
});

mutation('createEndUserToken', {
  publishing: 'never',
  access: { scope: 'end_users:manage', bound: 'addressed' },
  description:
    'Creates a token with which a user of yours reaches their own conversations with one deployment. Scope: end_users:manage.',
  input: CreateEndUserTokenInput,
  errors: ['invalid_request', 'not_found'],
  resolve: (input, { domain }) => createEndUserToken(domain, input),
  payload: (t) => ({
    token: t.exposeString('token', {
      description: 'The token: eut_live_ or eut_test_ and 43 characters. It is shown only once.',
    }),
    endUser: t.string({ description: 'The user.', resolve: ({ row }) => row.endUser }),
    deploymentId: t.field({ type: 'UUID', description: 'The deployment.', resolve: ({ row }) => row.deploymentId }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it expires.', resolve: ({ row }) => row.expiresAt }),
  }),
});

const RevokeEndUserTokensInput = builder.inputType('RevokeEndUserTokensInput', {
  description: 'The user whose tokens are revoked.',
  fields: (t) => ({ endUser: t.string(END_USER) }),
});

mutation('revokeEndUserTokens', {
  publishing: 'never',
  access: { scope: 'end_users:manage' },
  description:
    'Revokes all tokens of a user on every process, and the JWTs that were issued until now. Their open streams end. New tokens can be created. Scope: end_users:manage.',
  input: RevokeEndUserTokensInput,
  errors: ['invalid_request'],
  resolve: async (input, { domain }) => ({ tokens: await revokeEndUserTokens(domain, input) }),
  payload: (t) => ({
    tokens: t.exposeInt('tokens', { description: 'Number of tokens that were valid, without JWTs.' }),
  }),
});

const EraseEndUserInput = builder.inputType('EraseEndUserInput', {
  description: 'The user whose data is deleted.',
  fields: (t) => ({ endUser: t.string(END_USER) }),
});

mutation('eraseEndUser', {
  publishing: 'never',
  access: { scope: 'end_users:manage' },
  description: `Deletes all data of a user permanently: their tokens, and up to ${formatCount(LIMITS.erasedConversations)} conversations per call. Repeat it until \`isComplete\` is true. The audit log gets the counts, and a digest of the user's ID. Scope: end_users:manage.`,
  input: EraseEndUserInput,
  errors: ['invalid_request'],
  resolve: (input, { domain }) => eraseEndUser(domain, input),
  payload: (t) => ({
    tokens: t.exposeInt('tokens', { description: 'Number of revoked tokens.' }),
    conversations: t.exposeInt('conversations', { description: 'Number of deleted conversations.' }),
    isComplete: t.exposeBoolean('isComplete', {
      description:
        'Whether nothing is left. False: more conversations exist, or a turn is running in one. Repeat the call.',
    }),
  }),
});
