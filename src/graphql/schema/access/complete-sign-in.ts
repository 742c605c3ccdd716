import { LIMITS } from '../../../contract/limits.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { completeSignIn } from '../../../domain/access/second-factors/complete-sign-in.ts';
import { findTicket } from '../../../domain/access/second-factors/tickets.ts';
import { COMPLETE_SIGN_IN } from '../../../shapes/second-factors.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { sessionFields, signedIn } from './sign-in.ts';

mutation('completeSignIn', {
  publishing: 'never',
  description: `Proves the second factor of a sign-in, and creates the session. Needs no credentials. Limit: ${RATE_LIMITS.secondFactorByAccount.points} attempts in ${RATE_LIMITS.secondFactorByAccount.seconds / 60} minutes per account, and ${RATE_LIMITS.signInByAddress.points} per minute per IP address. Error unauthorized if the proof is wrong or was used before, or the ticket was used, has expired or had ${LIMITS.secondFactorAttempts} attempts.`,
  input: inputType(COMPLETE_SIGN_IN),
  errors: ['invalid_request', 'unauthorized'],
  resolve: async (input, context) => {
    await context.countByAddress(RATE_LIMITS.signInByAddress);
    const ticket = await findTicket(context.open, input.ticket);
    await context.count(RATE_LIMITS.secondFactorByAccount, ticket.userId);
    return signedIn(context, input, await completeSignIn(context.open, ticket, input));
  },
  payload: sessionFields,
});
