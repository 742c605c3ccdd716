import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { createRecoveryCodes, removeFactor } from '../../../domain/access/second-factors/change.ts';
import { resetMemberFactors } from '../../../domain/access/second-factors/reset.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import { USER_ID } from './members.ts';

const PASSWORD = { required: true, description: "The member's password." } as const;
const PER_MINUTE = `Limit: ${RATE_LIMITS.signInByAccount.points} attempts per minute per account. Needs a session.`;

const RemoveInput = builder.inputType('RemoveSecondFactorInput', {
  description: 'The second factor to remove, and the password.',
  fields: (t) => ({
    secondFactorId: t.field({
      type: 'UUID',

      required: true,
      description: 'The ID of a second factor.',
    }),
    password: t.string(PASSWORD),
  }),
});

mutation('removeSecondFactor', {
  publishing: 'never',
  access: { session: true },
  description: `Removes a second factor of the signed-in member. With the last one the recovery codes end. Error invalid_request if a workspace of the member requires the last one. ${PER_MINUTE}`,
  input: RemoveInput,
  errors: ['invalid_request', 'not_found'],
  resolve: async (input, context) => {
    const caller = context.requireSession();
    await context.count(RATE_LIMITS.signInByAccount, caller.user.email);
    await removeFactor(context.open, caller, input);
    return input;
  },
  payload: (t) => ({ deletedId: deletedId(t, 'SignInFactor', ({ secondFactorId }) => secondFactorId) }),
});

const RecoveryInput = builder.inputType('CreateRecoveryCodesInput', {
  description: 'The password of the member.',
  fields: (t) => ({ password: t.string(PASSWORD) }),
});

mutation('createRecoveryCodes', {
  publishing: 'never',
  access: { session: true },
  description: `Creates new recovery codes for the signed-in member. The old ones stop working. ${PER_MINUTE}`,
  input: RecoveryInput,
  errors: ['invalid_request'],
  resolve: async ({ password }, context) => {
    const caller = context.requireSession();
    await context.count(RATE_LIMITS.signInByAccount, caller.user.email);
    return { recoveryCodes: await createRecoveryCodes(context.open, caller, password) };
  },
  payload: (t) => ({
    recoveryCodes: t.exposeStringList('recoveryCodes', { description: 'The codes. They are shown only once.' }),
  }),
});

const ResetInput = builder.inputType('ResetSecondFactorsInput', {
  description: 'The member who lost their second factors.',
  fields: (t) => ({ userId: t.field(USER_ID) }),
});

mutation('resetSecondFactors', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Removes all second factors of a member, and ends their sessions. The password stays. Only for members of this workspace alone: the operator resets others. Only owners can reset owners. Needs a session of an owner or admin.',
  input: ResetInput,
  errors: ['invalid_request', 'not_found'],
  resolve: async ({ userId }, { domain }) => {
    await resetMemberFactors(domain, userId);
    return { userId };
  },
  payload: (t) => ({ userId: t.expose('userId', { type: 'UUID', description: 'The user ID of the member.' }) }),
});
