import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { LIMITS } from '../../../contract/limits.ts';

/** Loaded with the first passkey, because it is large. */
const library = () => import('@simplewebauthn/server');

/**
 * EdDSA, ES256 and RS256, which each supported version of Node verifies. The default of the library depends on the version:
 * a passkey of a process with a newer one would fail in the others.
 */
const ALGORITHMS = [-8, -7, -257];

const TIMEOUT_MS = LIMITS.secondFactorMinutes * 60_000;

/** The site that a passkey belongs to, from the public URL of the service. */
function siteOf(publicUrl: string): { readonly origin: string; readonly rpId: string } {
  const { origin, hostname } = new URL(publicUrl);
  return { origin, rpId: hostname };
}

/** A stored passkey. */
export interface Passkey {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: bigint;
  readonly transports: readonly string[];
}

type PasskeyRef = Pick<Passkey, 'credentialId' | 'transports'>;

function refsOf(passkeys: readonly PasskeyRef[]) {
  return passkeys.map(({ credentialId, transports }) => ({
    id: credentialId,
    transports: transports as AuthenticatorTransport[],
  }));
}

/** What the browser needs to create a passkey. It contains the challenge. */
export async function registrationOptions(
  publicUrl: string,
  { userId, email, name }: { readonly userId: string; readonly email: string; readonly name: string },
  existing: readonly PasskeyRef[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Parley',
    rpID: siteOf(publicUrl).rpId,
    userID: new TextEncoder().encode(userId),
    userName: email,
    userDisplayName: name,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: refsOf(existing),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
  });
}

/** The new passkey. Undefined: the response is not valid for the challenge, the site or the user verification. */
export async function registeredPasskey(
  publicUrl: string,
  response: object,
  expectedChallenge: string,
): Promise<Passkey | undefined> {
  const { verifyRegistrationResponse } = await library();
  const { origin, rpId } = siteOf(publicUrl);
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin: origin,
    supportedAlgorithmIDs: ALGORITHMS,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  return { credentialId: id, publicKey, counter: BigInt(counter), transports };
}

/** What the browser needs to use one of the passkeys. It contains the challenge. */
export async function requestOptions(
  publicUrl: string,
  passkeys: readonly PasskeyRef[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: siteOf(publicUrl).rpId,
    allowCredentials: refsOf(passkeys),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  });
}

/** The new counter of the passkey. Undefined: the response is not valid, or the counter shows a copy of the passkey. */
export async function usedPasskey(
  publicUrl: string,
  response: object,
  expectedChallenge: string,
  { credentialId, publicKey, counter, transports }: Passkey,
): Promise<bigint | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { origin, rpId } = siteOf(publicUrl);
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(publicKey),
      counter: Number(counter),
      transports: transports as AuthenticatorTransport[],
    },
  }).catch(() => undefined);
  return result?.verified ? BigInt(result.authenticationInfo.newCounter) : undefined;
}
