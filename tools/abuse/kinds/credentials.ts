import { randomBytes, randomUUID } from 'node:crypto';
import type { Kind } from '../kind.ts';

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of an unknown issuer, with a random key ID. */
function unknownToken(): string {
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: 'ES256', kid: randomUUID() };
  const payload = { iss: `https://${randomUUID()}.example.com/`, aud: 'parley', sub: 'a', iat: now, exp: now + 600 };
  return `${base64(header)}.${base64(payload)}.${randomBytes(64).toString('base64url')}`;
}

const INVITE = `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }`;

/** Credentials that are wrong, and mails. */
export const CREDENTIALS: readonly Kind[] = [
  {
    name: 'wrong-keys',
    about: 'API keys that do not exist',
    attack: (attacker) =>
      attacker.repeat(() =>
        attacker.send({
          path: '/v1/resources',
          headers: { 'x-api-key': `sk_live_${randomBytes(32).toString('hex').slice(0, 43)}` },
        }),
      ),
  },
  {
    name: 'unknown-issuers',
    about: 'JWTs of unknown issuers with random key IDs',
    attack: (attacker, { publicId }) =>
      attacker.repeat(() =>
        attacker.send({
          path: `/v1/runner/${publicId}/conversations`,
          headers: { authorization: `Bearer ${unknownToken()}` },
        }),
      ),
  },
  {
    name: 'sign-in-guesses',
    about: 'Sign-in with wrong passwords of 256 characters, for one member and for unknown addresses',
    attack: (attacker, { email }) =>
      attacker.repeat((number) =>
        attacker.send({
          method: 'POST',
          path: '/v1/sessions',
          body: { email: number % 2 ? email : `${randomUUID()}@example.com`, password: 'p'.repeat(256) },
        }),
      ),
  },
  {
    name: 'password-resets',
    about: 'Requests of links for a new password, for one member and for unknown addresses',
    attack: (attacker, { email }) =>
      attacker.repeat((number) =>
        attacker.send({
          method: 'POST',
          path: '/v1/password-reset-requests',
          body: { email: number % 2 ? email : `${randomUUID()}@example.com` },
        }),
      ),
  },
  {
    name: 'invitations',
    about: 'An administrator invites one stranger again and again',
    attack: (attacker, { session }) =>
      attacker.repeat(
        () =>
          attacker.send({
            method: 'POST',
            path: '/graphql',
            headers: { authorization: `Bearer ${session}` },
            body: { query: INVITE, variables: { input: { email: 'stranger@example.com', role: 'VIEWER' } } },
          }),
        { perSecond: 20 },
      ),
  },
  {
    name: 'mcp-messages',
    about: 'Messages to `/mcp` without a key and with wrong keys',
    attack: (attacker) =>
      attacker.repeat((number) =>
        attacker.send({
          method: 'POST',
          path: '/mcp',
          headers: {
            accept: 'application/json, text/event-stream',
            ...(number % 2 && { authorization: `Bearer sk_live_${'x'.repeat(43)}` }),
          },
          body: { jsonrpc: '2.0', id: number, method: 'tools/list', params: {} },
        }),
      ),
  },
];
