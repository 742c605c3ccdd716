import { LIMITS } from '../../../contract/limits.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { completeSignIn } from '../../../domain/access/second-factors/complete-sign-in.ts';
import { findTicket } from '../../../domain/access/second-factors/tickets.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { CODE, PASSKEY, TICKET } from './second-factor-inputs.ts';
import { COOKIE_FIELD, sessionFields, signedIn } from './sign-in.ts';

const CompleteSignInInput = builder.inputType('CompleteSignInInput', {
  description: 'The ticket, and one proof. No proof after an enrolment with the ticket.',
  fields: (t) => ({
    ticket: t.string({ required: true, ...TICKET }),
    code: t.string(CODE),
    recoveryCode: t.string({ description: 'A recovery code. It works once.' }),
    passkey: t.field(PASSKEY),
    cookie: t.boolean(COOKIE_FIELD),
  }),
});

mutation('completeSignIn', {
  publishing: 'never',
  description: `Proves the second factor of a sign-in, and creates the session. Needs no credentials. Limit: ${RATE_LIMITS.secondFactorByAccount.points} attempts in ${RATE_LIMITS.secondFactorByAccount.seconds / 60} minutes per account, and ${RATE_LIMITS.signInByAddress.points} per minute per IP address. Error unauthorized if the proof is wrong or was used before, or the ticket was used, has expired or had ${LIMITS.secondFactorAttempts} attempts.`,
  input: CompleteSignInInput,
  errors: ['invalid_request', 'unauthorized'],
  resolve: async (input, context) => {
    await context.countByAddress(RATE_LIMITS.signInByAddress);
    const ticket = await findTicket(context.open, input.ticket);
    await context.count(RATE_LIMITS.secondFactorByAccount, ticket.userId);
    return signedIn(context, input, await completeSignIn(context.open, ticket, input));
  },
  payload: sessionFields,
});
