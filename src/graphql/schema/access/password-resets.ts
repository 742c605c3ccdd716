import { LIMITS } from '../../../contract/limits.ts';
import {
  completePasswordReset,
  readResetEmail,
  requestPasswordReset,
} from '../../../domain/access/passwords/reset-links.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { REQUEST_PASSWORD_RESET, RESET_PASSWORD } from '../../../shapes/accounts.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

mutation('requestPasswordReset', {
  publishing: 'never',
  description: `Sends a link that sets a new password to the email address, if it has an account. The response is always the same. Needs no credentials. Limit: ${RATE_LIMITS.resetByAccount.points} requests per account and ${RATE_LIMITS.resetByAddress.points} per IP address in ${RATE_LIMITS.resetByAccount.seconds / 60} minutes. Error invalid_request if the service sends no email.`,
  input: inputType(REQUEST_PASSWORD_RESET),
  errors: ['invalid_request'],
  resolve: async (input, context) => {
    const email = readResetEmail(input);
    await context.countByAddress(RATE_LIMITS.resetByAddress);
    await context.count(RATE_LIMITS.resetByAccount, email);
    await requestPasswordReset(context.open, email);
    return {};
  },
  payload: (t) => ({
    minutes: t.int({ description: 'How long a link works.', resolve: () => LIMITS.passwordResetMinutes }),
  }),
});

mutation('resetPassword', {
  publishing: 'never',
  description: `Sets a new password with the token of a link, once, within ${LIMITS.passwordResetMinutes} minutes. Ends all sessions of the user. Needs no credentials. Limit: ${RATE_LIMITS.signInByAddress.points} attempts per minute per IP address. Error not_found if the link was used or replaced, or has expired.`,
  input: inputType(RESET_PASSWORD),
  errors: ['invalid_request', 'not_found'],
  resolve: async (input, context) => {
    await context.countByAddress(RATE_LIMITS.signInByAddress);
    return { email: await completePasswordReset(context.open, input) };
  },
  payload: (t) => ({
    email: t.exposeString('email', { description: 'The email address to sign in with.' }),
  }),
});
