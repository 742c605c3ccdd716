import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { ROLES } from '../contract/roles.ts';
import { input, required } from './field.ts';
import { choice, text, textOf } from './kinds.ts';
import { displayName } from './names.ts';

const length = z.maxLength(LIMITS.emailLength, `must have at most ${LIMITS.emailLength} characters`);

/** A text in the form that accounts are found by. It does not have to be an email address. */
const foundBy = z.string().check(length, z.trim(), z.toLowerCase());

/** An email address in the form that accounts are found by. */
export const emailRule = z.pipe(
  z.string().check(z.trim(), z.toLowerCase()),
  z.email('must be an email address').check(length),
);

const email = (rule: z.ZodMiniType<string, string>, note?: string) =>
  required(
    textOf(rule, {
      says: 'The email address, in upper or lower case',
      bounds: { maxLength: LIMITS.emailLength },
      most: LIMITS.emailLength,
      ...(note && { note }),
    }),
  );

const newPassword = required(
  text({
    says: 'The new password',
    least: LIMITS.minPasswordLength,
    most: LIMITS.passwordLength,
    canBeBlank: true,
  }),
);

export const linkToken = required(textOf(z.string(), { says: 'The value of token= in the fragment of the link' }));

export const INVITE_MEMBER = input('InviteMemberInput', 'The person to invite.', {
  email: email(emailRule, 'It must not belong to a member.'),
  role: required(
    choice({ says: 'The role of the new member', note: "It must not be higher than the caller's role." }, ROLES),
  ),
});

export const REQUEST_PASSWORD_RESET = input('RequestPasswordResetInput', 'The account that needs a new password.', {
  email: email(foundBy),
});

export const RESET_PASSWORD = input('ResetPasswordInput', 'The token of a link, and the new password.', {
  token: linkToken,
  password: newPassword,
});

export const CHANGE_PASSWORD = input('ChangePasswordInput', 'The current and the new password.', {
  currentPassword: required(textOf(z.string(), { says: 'The password before the change' })),
  newPassword,
});

export const UPDATE_ME = input('UpdateMeInput', 'The new name of the member.', {
  name: required(displayName),
});

export const UPDATE_WORKSPACE = input('UpdateWorkspaceInput', 'The new name of the workspace.', {
  name: required(displayName),
});
