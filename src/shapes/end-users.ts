import { LIMITS } from '../contract/limits.ts';
import { END_USER_SCOPES, SCOPES } from '../contract/scopes.ts';
import { address } from './address.ts';
import { input, required } from './field.ts';
import { publishedDeploymentId } from './ids.ts';
import { choices, ids, integer, object, text } from './kinds.ts';
import { oidcClientId, oidcClientSecret } from './sign-in-settings.ts';

const endUser = required(text({ says: 'Your own ID of the user', most: LIMITS.endUserLength }));

export const CREATE_END_USER_TOKEN = input('CreateEndUserTokenInput', 'The user and the deployment of a new token.', {
  deploymentId: publishedDeploymentId,
  endUser,
  ttlSeconds: required(integer({ says: 'Seconds until the token expires', most: LIMITS.endUserTokenSeconds })),
  scopes: choices(
    {
      says: `The permissions of the token: ${END_USER_SCOPES.join(', ')}, or one of them`,
      note: 'Default: both.',
      bounds: {
        minItems: 1,
        maxItems: END_USER_SCOPES.length,
        uniqueItems: true,
        items: { enum: END_USER_SCOPES },
      },
    },
    SCOPES,
    { least: 1, accepts: END_USER_SCOPES, eachOnce: true },
  ),
});

export const REVOKE_END_USER_TOKENS = input('RevokeEndUserTokensInput', 'The user whose tokens are revoked.', {
  endUser,
});

export const ERASE_END_USER = input('EraseEndUserInput', 'The user whose data is deleted.', { endUser });

/** The claim of a JWT that has its scopes. */
export const SCOPE_CLAIM = `The claim with the scopes of a JWT: a list, or text with spaces. Of them ${END_USER_SCOPES.join(' and ')} count`;

export const END_USER_SIGN_IN = input(
  'EndUserSignInInput',
  'The registration of Parley at the issuer, as a client of OpenID Connect.',
  {
    clientId: oidcClientId,
    clientSecret: oidcClientSecret('Omit it to keep the stored secret of the same issuer and client.'),
  },
);

export const SET_END_USER_ISSUER = input(
  'SetEndUserIssuerInput',
  'The server that signs JWTs. It replaces the stored one.',
  {
    issuer: required(text({ says: 'The value of `iss`, compared exactly', most: LIMITS.addressLength })),
    audience: required(
      text({
        says: 'A value that `aud` must contain',
        note: 'The other environment of the workspace cannot have the same issuer and audience.',
        most: LIMITS.audienceLength,
      }),
    ),
    jwksUrl: required(address('The URL of the public keys: a public https URL', 'Redirects are not followed.')),
    deploymentIds: required(
      ids('Deployment', {
        says: 'The deployments that the JWTs work for',
        least: 1,
        most: LIMITS.endUserIssuerDeployments,
        noun: 'items',
      }),
    ),
    scopeClaim: text({
      says: `${SCOPE_CLAIM}. {bounds}`,
      form: 'Default: null, which gives every JWT both.',
      most: LIMITS.claimLength,
    }),
    signIn: object(END_USER_SIGN_IN, {
      says: 'How users sign in at the issuer to connect assistants',
      note: 'Then the issuer must offer OpenID Connect, with the same `sub` as in its JWTs.',
      form: 'Default: null, which does not offer it. Another issuer or client disconnects all assistants of users.',
    }),
  },
);
