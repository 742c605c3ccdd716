import { z } from 'zod';
import type { SomeServices } from '../context.ts';

const client = z.object({
  clientId: z.string(),
  clientSecret: z.string().optional(),
  authMethod: z.string().optional(),
  source: z.enum(['entered', 'document', 'registered']),
  issuer: z.string().optional(),
  redirectUri: z.string().optional(),
});

const server = z.object({
  issuer: z.string(),
  isDescribed: z.boolean(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  authMethods: z.array(z.string()).readonly(),
  namesIssuer: z.boolean(),
  resource: z.string().optional(),
});

const secrets = z.object({
  client: client.optional(),
  server: server.optional(),
  /** `url` is the MCP server that they are for. No other one gets them. */
  tokens: z.object({ url: z.string(), accessToken: z.string(), refreshToken: z.string().optional() }).optional(),
  /** The request that the server refused before anybody had signed in. */
  refused: z.string().optional(),
  /** The `state` of the attempt whose code a process exchanges. A sign-out removes it, so the tokens are not stored. */
  redeemed: z.string().optional(),
  attempt: z
    .object({
      state: z.string(),
      /** The MCP server. */
      url: z.string(),
      codeVerifier: z.string(),
      sessionId: z.string(),
      /** Unix time in milliseconds. */
      until: z.number(),
      scope: z.string().optional(),
      client,
      server,
    })
    .optional(),
});

/** The secrets of a sign-in. They are stored encrypted. */
export type SignInSecrets = z.output<typeof secrets>;

type WithSecretBox = { readonly services: SomeServices<'secretBox'> };

/** Encrypts the secrets of a sign-in. Null if there are no secrets. */
export function sealSignIn(
  { services }: WithSecretBox,
  integrationId: string,
  content: SignInSecrets,
): Uint8Array<ArrayBuffer> | null {
  const isEmpty = Object.values(content).every((value) => value === undefined);
  return isEmpty ? null : services.settings.secretBox.seal(JSON.stringify(content), ownerOf(integrationId));
}

/** Decrypts the secrets of a sign-in. @throws {Error} if the service has no key that decrypts them */
export function openSignIn(
  { services }: WithSecretBox,
  integrationId: string,
  sealed: Uint8Array | null,
): SignInSecrets {
  return sealed ? secrets.parse(JSON.parse(services.settings.secretBox.open(sealed, ownerOf(integrationId)))) : {};
}

function ownerOf(integrationId: string): string {
  return `sign-in of ${integrationId}`;
}
