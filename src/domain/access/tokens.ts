import { hash } from 'node:crypto';
import { customAlphabet } from 'nanoid';
import type { EnvironmentKind } from '../../contract/statuses.ts';

/** 43 base62 characters have 256 bits, so an unsalted SHA-256 is a safe hash. */
const SECRET_LENGTH = 43;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const secret = customAlphabet(BASE62, SECRET_LENGTH);

const API_KEY = /^sk_(live|test)_[0-9A-Za-z]{43}$/;

/** Whether `text` has the format of an API key. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** A new API key; the caller shows it once and stores only its hash. */
export function newApiKey(environment: EnvironmentKind): string {
  return `sk_${environment}_${secret()}`;
}

const END_USER_TOKEN = /^eut_(live|test)_[0-9A-Za-z]{43}$/;

/** Whether `text` has the format of a token of an end user. */
export function isEndUserToken(text: string): boolean {
  return END_USER_TOKEN.test(text);
}

/** A new token of an end user; the caller shows it once and stores only its hash. */
export function newEndUserToken(environment: EnvironmentKind): string {
  return `eut_${environment}_${secret()}`;
}

const APP_TOKEN = /^oat_[0-9A-Za-z]{43}$/;

/** Whether `text` has the format of an access token of an app. */
export function isAppToken(text: string): boolean {
  return APP_TOKEN.test(text);
}

/** A new access token of an app; only its hash is stored. */
export function newAppToken(): string {
  return `oat_${secret()}`;
}

/** A new refresh token of an app; only its hash is stored. */
export function newAppRefreshToken(): string {
  return `ort_${secret()}`;
}

/** A new code that an app redeems for its first tokens; only its hash is stored. */
export function newAppCode(): string {
  return `oac_${secret()}`;
}

const REGISTERED_APP = /^client_[0-9A-Za-z]{43}$/;

/** Whether `text` has the format of the client ID of an app that registered itself. */
export function isRegisteredApp(text: string): boolean {
  return REGISTERED_APP.test(text);
}

/** A new client ID of an app that registers itself. It is no secret, but nobody can guess it. */
export function newRegisteredAppId(): string {
  return `client_${secret()}`;
}

const SESSION_TOKEN = /^sess_[0-9A-Za-z]{43}$/;

/** Whether `text` has the format of a session token. */
export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text);
}

/** A new session token; the caller shows it once and stores only its hash. */
export function newSessionToken(): string {
  return `sess_${secret()}`;
}

/** A new token for the link of an invitation; the caller shows it once and stores only its hash. */
export function newInvitationToken(): string {
  return `invite_${secret()}`;
}

/** A new token for a link that sets a password; only its hash is stored. */
export function newResetToken(): string {
  return `reset_${secret()}`;
}

/** A new ticket for a sign-in that needs a second factor; only its hash is stored. */
export function newSignInTicket(): string {
  return `ticket_${secret()}`;
}

/** A code that replaces a second factor once: 20 characters without look-alikes, about 98 bits. */
export const newRecoveryCode = customAlphabet('23456789abcdefghjkmnpqrstuvwxyz', 20);

/** A random value that nobody can guess, for one attempt to sign in. */
export function newSignInSecret(): string {
  return secret();
}

/** Generates a password to type: 20 characters without look-alikes, about 114 bits. */
export const newPassword = customAlphabet('23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 20);

/** The hash that is stored instead of a key or token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
