import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { createEndUserToken, revokeEndUserTokens } from '../../../domain/access/end-users/end-user-tokens.ts';
import { eraseEndUser } from '../../../domain/conversations/erase-end-user.ts';
import { CREATE_END_USER_TOKEN, ERASE_END_USER, REVOKE_END_USER_TOKENS } from '../../../shapes/end-users.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

mutation('createEndUserToken', {
  publishing: 'never',
  access: { scope: 'end_users:manage', bound: 'addressed' },
  description:
    'Creates a token with which a user of yours reaches their own conversations with one deployment. Scope: end_users:manage.',
  input: inputType(CREATE_END_USER_TOKEN),
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

mutation('revokeEndUserTokens', {
  publishing: 'never',
  access: { scope: 'end_users:manage' },
  description:
    'Revokes all tokens of a user on every process, and the JWTs that were issued until now, and disconnects their assistants. Their open streams end. New tokens can be created. Scope: end_users:manage.',
  input: inputType(REVOKE_END_USER_TOKENS),
  errors: ['invalid_request'],
  resolve: async (input, { domain }) => ({ tokens: await revokeEndUserTokens(domain, input) }),
  payload: (t) => ({
    tokens: t.exposeInt('tokens', { description: 'Number of tokens that were valid, without JWTs.' }),
  }),
});

mutation('eraseEndUser', {
  publishing: 'never',
  access: { scope: 'end_users:manage' },
  description: `Deletes all data of a user permanently: their tokens, their connected assistants, their budgets, and up to ${formatCount(LIMITS.erasedConversations)} conversations per call. Repeat it until \`isComplete\` is true. The audit log gets the counts, and a digest of the user's ID. Scope: end_users:manage.`,
  input: inputType(ERASE_END_USER),
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
