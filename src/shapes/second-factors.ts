import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { SECOND_FACTOR_KINDS } from '../contract/sign-in.ts';
import { input, required } from './field.ts';
import { choice, json, text, textOf } from './kinds.ts';
import { cookie } from './sign-in.ts';

const passkeyRule = z.custom<object>(
  (value) =>
    typeof value === 'object' && value !== null && JSON.stringify(value).length <= LIMITS.passkeyResponseLength,
  `must be the JSON response of the browser, with at most ${LIMITS.passkeyResponseLength} characters`,
);

export const passkey = json(passkeyRule, {
  says: `The response of the browser as JSON, at most ${LIMITS.passkeyResponseLength} characters`,
});

const code = textOf(z.string(), {
  says: `The ${LIMITS.totpDigits} digits of an authenticator app`,
  note: 'Each code works once.',
});

const ticket = textOf(z.string(), { says: 'The ticket of a sign-in that needs a second factor' });

export const COMPLETE_SIGN_IN = input(
  'CompleteSignInInput',
  'The ticket, and one proof. No proof after an enrolment with the ticket.',
  {
    ticket: required(ticket),
    code,
    recoveryCode: textOf(z.string(), { says: 'A recovery code', note: 'It works once.' }),
    passkey,
    cookie,
  },
);

export const START_SECOND_FACTOR = input(
  'StartSecondFactorInput',
  'The second factor to set up. With a session it needs the password.',
  {
    kind: required(choice('What to set up', SECOND_FACTOR_KINDS)),
    name: required(text({ says: 'A name for the list', most: LIMITS.secondFactorNameLength })),
    password: textOf(z.string(), { says: "The member's password", note: 'Required with a session.' }),
    ticket: textOf(z.string(), {
      says: 'The ticket of a sign-in with `enrolmentRequired`',
      note: 'Then no session is needed.',
    }),
  },
);

export const CONFIRM_SECOND_FACTOR = input(
  'ConfirmSecondFactorInput',
  'The first proof of a new second factor: `code` or `passkey`.',
  {
    enrolmentId: { ...required(textOf(z.string(), { says: 'The ID from startSecondFactor' })), scalar: 'UUID' },
    code,
    passkey,
    ticket,
  },
);
