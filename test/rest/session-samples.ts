import type { Made, Sample } from './samples.ts';

/** Samples of the operations on sessions and passwords. */
export const SESSION_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  ReadMe: ({ session }) => [
    { status: 200, path: '/v1/me', key: session },
    { status: 401, path: '/v1/me', key: null },
    { status: 403, path: '/v1/me' },
  ],
  SignIn: ({ owner }) => [
    { status: 201, path: '/v1/sessions', body: owner, key: null },
    { status: 400, path: '/v1/sessions', body: { email: owner.email }, key: null },
    { status: 401, path: '/v1/sessions', body: { ...owner, password: 'wrong' }, key: null },
  ],
  CompleteSignIn: ({ ticket }) => [
    { status: 400, path: '/v1/sessions/second-factor', body: { ticket }, key: null },
    { status: 401, path: '/v1/sessions/second-factor', body: { ticket, code: '000000' }, key: null },
    { status: 201, path: '/v1/sessions/second-factor', body: { ticket, recovery_code: 'a-code' }, key: null },
  ],
  RequestPasswordReset: () => [
    { status: 400, path: '/v1/password-reset-requests', body: {}, key: null },
    { status: 202, path: '/v1/password-reset-requests', body: { email: 'ada@example.com' }, key: null },
  ],
  ResetPassword: ({ resetToken }) => [
    { status: 400, path: '/v1/password-resets', body: { token: resetToken, password: 'short' }, key: null },
    { status: 200, path: '/v1/password-resets', body: { token: resetToken, password: 'long enough it is' }, key: null },
    { status: 404, path: '/v1/password-resets', body: { token: resetToken, password: 'long enough it is' }, key: null },
  ],
  SignOut: ({ sessionToEnd }) => [
    { status: 403, path: '/v1/sessions/current' },
    { status: 401, path: '/v1/sessions/current', key: null },
    { status: 204, path: '/v1/sessions/current', key: sessionToEnd },
  ],
};
