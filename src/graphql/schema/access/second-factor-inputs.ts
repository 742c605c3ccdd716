import { LIMITS } from '../../../contract/limits.ts';

export const TICKET = { description: 'The ticket of a sign-in that needs a second factor.' } as const;

export const PASSKEY = {
  type: 'JSON',
  description: `The response of the browser as JSON, at most ${LIMITS.passkeyResponseLength} characters.`,
} as const;

export const CODE = {
  description: `The ${LIMITS.totpDigits} digits of an authenticator app. Each code works once.`,
} as const;
