import { pathOfDeployment } from '../../../contract/apps/deployment-resource.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { type EndUserIssuer, Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { Context, SomeServices } from '../../context.ts';
import { appsOfEndUsers } from '../apps/end-apps.ts';

/** How end users sign in at their issuer, to connect apps. No API returns the client secret. */
export interface EndUserSignIn {
  readonly clientId: string;
  /** The addresses for assistants, in the order of the deployments. */
  readonly mcpUrls: readonly string[];
}

interface NewSignIn {
  readonly issuer: string;
  readonly signIn: { readonly clientId: string; readonly clientSecret?: string | null | undefined } | null | undefined;
}

/** The owner of the sealed client secret, for `SecretBox`. */
export function signInOwner(environmentId: string): string {
  return `end-user sign-in of ${environmentId}`;
}

/**
 * The columns of the sign-in. A stored secret goes only to the issuer that it was entered for, as the client that it belongs to.
 * @throws {ServiceError} invalid_request
 */
export function storedSignIn(
  { environment, services }: Context,
  before: EndUserIssuer | undefined,
  { issuer, signIn }: NewSignIn,
): Pick<EndUserIssuer, 'signInClientId' | 'sealedSignInSecret'> {
  if (!signIn) return { signInClientId: null, sealedSignInSecret: null };
  const { clientId: signInClientId, clientSecret } = signIn;
  if (clientSecret != null) {
    const sealedSignInSecret = services.settings.secretBox.seal(clientSecret, signInOwner(environment.id));
    return { signInClientId, sealedSignInSecret };
  }
  if (before?.issuer === issuer && before.signInClientId === signInClientId) {
    return { signInClientId, sealedSignInSecret: before.sealedSignInSecret };
  }
  throw new ServiceError('invalid_request', '{param} is required for a new issuer or client.', {
    param: ['signIn', 'clientSecret'],
  });
}

/**
 * Disconnects the apps of end users that the new settings do not allow: all of another issuer, client or claim with scopes, and
 * those of other deployments. An earlier release may have left apps of an issuer without a sign-in. The audit entry of the settings is theirs as well. The caller holds `lockIssuer`, and publishes
 * `endUserAppsTopic` after the commit.
 */
export async function endAppsWithout(
  { environment }: Context,
  tx: Transaction,
  before: EndUserIssuer | undefined,
  after: EndUserIssuer | undefined,
): Promise<void> {
  const isSame =
    after !== undefined &&
    (['issuer', 'signInClientId', 'scopeClaim'] as const).every((name) => after[name] === before?.[name]);
  const others = isSame ? Prisma.sql`AND deployment_id <> ALL (${after.deploymentIds}::uuid[])` : Prisma.empty;
  await tx.$executeRaw`DELETE FROM connected_app WHERE ${appsOfEndUsers(environment)} ${others}`;
}

/** Where the issuer sends the browser back to. Each environment has its own address (RFC 9700, section 4.4). */
export function endUserRedirectUri(
  { settings: { publicUrl } }: SomeServices<'publicUrl'>,
  environmentId: string,
): string {
  return `${publicUrl}/connect/callback/${environmentId}`;
}

/** How users of the environment sign in. Null: they cannot. */
export function signInOf({ environment, services }: Context, row: EndUserIssuer): EndUserSignIn | null {
  const { signInClientId: clientId, deploymentIds } = row;
  if (clientId === null) return null;
  const { publicUrl } = services.settings;
  const urlOf = (deploymentId: string) =>
    publicUrl + pathOfDeployment({ environment: environment.kind, deploymentId: deploymentId.toLowerCase() });
  return { clientId, mcpUrls: deploymentIds.map(urlOf) };
}

/** The number of apps that users of the environment have connected. */
export function countEndUserApps({ db, environment, now }: Context): Promise<number> {
  const { workspaceId, kind } = environment;
  return db.connectedApp.count({
    where: { workspaceId, environment: kind, endUser: { not: null }, expiresAt: { gt: now() } },
  });
}
