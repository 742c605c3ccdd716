import { LIMITS } from '../../../contract/limits.ts';
import { RATE_LIMITS } from '../../../domain/access/rate-limits.ts';
import { confirmEnrolment } from '../../../domain/access/second-factors/confirm.ts';
import { type Enroller, startEnrolment, userOf } from '../../../domain/access/second-factors/enrol.ts';
import { findTicket } from '../../../domain/access/second-factors/tickets.ts';
import { publishSessionChanges } from '../../../domain/access/sessions.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { CONFIRM_SECOND_FACTOR, START_SECOND_FACTOR } from '../../../shapes/second-factors.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

const PER_ACCOUNT = `Limit: ${RATE_LIMITS.secondFactorByAccount.points} attempts in ${RATE_LIMITS.secondFactorByAccount.seconds / 60} minutes per account.`;

/** The member of the ticket, or of the session. Counts the attempt. @throws {ServiceError} unauthorized, rate_limited */
async function enrollerOf(context: OperationContext, ticket: string | null | undefined): Promise<Enroller> {
  await context.countByAddress(RATE_LIMITS.signInByAddress);
  const enroller =
    ticket == null ? { caller: context.requireSession() } : { ticket: await findTicket(context.open, ticket) };
  await context.count(RATE_LIMITS.secondFactorByAccount, userOf(enroller));
  return enroller;
}

const TotpSecret = builder.objectRef<{ readonly secret: string; readonly uri: string }>('TotpSecret').implement({
  description: 'The secret of an authenticator app. It is shown once.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'For typing it: Base32.' }),
    uri: t.exposeString('uri', { description: 'For a QR code: `otpauth://totp/…`.' }),
  }),
});

mutation('startSecondFactor', {
  publishing: 'never',
  description: `Starts to set up a second factor of a member, who can have ${LIMITS.secondFactors}. It replaces a start that was not confirmed. Needs a session and the password, or the ticket of a sign-in that requires the first second factor. ${PER_ACCOUNT}`,
  input: inputType(START_SECOND_FACTOR),
  errors: ['invalid_request', 'unauthorized'],
  resolve: async (input, context) => startEnrolment(context.open, await enrollerOf(context, input.ticket), input),
  payload: (t) => ({
    enrolmentId: t.expose('enrolmentId', { type: 'UUID', description: 'The ID, for confirmSecondFactor.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be confirmed.' }),
    totp: t.field({
      type: TotpSecret,
      nullable: true,
      description: 'The secret for the authenticator app. Null: it is a passkey.',
      resolve: ({ totp }) => totp ?? null,
    }),
    passkeyOptions: t.field({
      type: 'JSON',
      nullable: true,
      description:
        '`PublicKeyCredentialCreationOptionsJSON` for `navigator.credentials.create`. Its challenge works once. Null: it is an authenticator app.',
      resolve: ({ passkeyOptions }) => passkeyOptions ?? null,
    }),
  }),
});

mutation('confirmSecondFactor', {
  publishing: 'never',
  description: `Adds a second factor after its first proof. The first one ends all other sessions of the member that a password opened. Needs a session, or the ticket with which it was started. ${PER_ACCOUNT}`,
  input: inputType(CONFIRM_SECOND_FACTOR),
  errors: ['invalid_request', 'not_found', 'unauthorized'],
  resolve: async ({ enrolmentId, ticket, ...proof }, context) => {
    const confirmed = await confirmEnrolment(context.open, await enrollerOf(context, ticket), enrolmentId, proof);
    publishSessionChanges(context.open, confirmed.ended);
    return confirmed;
  },
  payload: (t) => ({
    recoveryCodes: t.stringList({
      nullable: true,
      description: `${LIMITS.recoveryCodes} codes that replace a second factor, each once. They are shown only once. Null: it is not the first second factor.`,
      resolve: ({ recoveryCodes }) => (recoveryCodes ? [...recoveryCodes] : null),
    }),
  }),
});
