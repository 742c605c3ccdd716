import { type DeploymentResource, deploymentOfPath } from '../../../contract/apps/deployment-resource.ts';
import { ServiceError } from '../../../contract/errors.ts';
import type { EnvironmentKind } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { SomeServices } from '../../context.ts';
import type { OidcClient } from '../sso/oidc-port.ts';
import { signInOwner } from './sign-in-settings.ts';

/** A deployment whose end users can connect apps. */
export interface OfferedSignIn {
  readonly environment: EnvironmentRef;
  readonly issuer: string;
  readonly clientId: string;
  /** The claim with the scopes of a user. Null: every user has all. */
  readonly scopeClaim: string | null;
  readonly deployment: { readonly id: string; readonly name: string; readonly branding: unknown };
}

interface OfferRow {
  readonly environment_id: string;
  readonly workspace_id: string;
  readonly kind: EnvironmentKind;
  readonly issuer: string;
  readonly client_id: string;
  readonly scope_claim: string | null;
  readonly id: string;
  readonly name: string;
  readonly branding: unknown;
}

/** Undefined: the deployment does not exist, is not published, or its end users cannot sign in. */
export async function offeredSignIn(
  { stores: { sql } }: SomeServices<'sql'>,
  { environment, deploymentId }: DeploymentResource,
): Promise<OfferedSignIn | undefined> {
  const [row] = await sql.rows<OfferRow>`
    SELECT e.id AS environment_id, e.workspace_id, e.kind::text AS kind, i.issuer, i.sign_in_client_id AS client_id,
           i.scope_claim, d.id, d.name, d.branding
    FROM deployment d
    JOIN environment e ON e.workspace_id = d.workspace_id AND e.kind = ${environment}::environment_kind
    JOIN end_user_issuer i ON i.environment_id = e.id
    WHERE d.id = ${deploymentId}::uuid AND d.published_version IS NOT NULL AND ${IS_OFFERED}`;
  if (!row) return undefined;
  const { environment_id: id, workspace_id: workspaceId, kind, issuer, name, branding } = row;
  const deployment = { id: row.id, name, branding };
  const environmentRef = { id, workspaceId, kind };
  return { environment: environmentRef, issuer, clientId: row.client_id, scopeClaim: row.scope_claim, deployment };
}

/** The deployment of a path of MCP. @throws {ServiceError} not_found, the same for every path that leads to no sign-in */
export async function requireOffered(services: SomeServices<'sql'>, path: string): Promise<OfferedSignIn> {
  const resource = deploymentOfPath(path);
  const offered = resource && (await offeredSignIn(services, resource));
  if (offered) return offered;
  throw new ServiceError('not_found', 'There is nothing at this address. Check the ID of the deployment.');
}

const IS_OFFERED = Prisma.sql`i.sign_in_client_id IS NOT NULL AND d.id = ANY (i.deployment_ids)`;

/** The client for requests to the issuer, with its decrypted secret. Undefined: the settings have changed. */
export async function oidcClientOf(
  { stores: { prisma }, settings: { secretBox } }: SomeServices<'prisma' | 'secretBox'>,
  { environment, issuer, clientId }: Pick<OfferedSignIn, 'environment' | 'issuer' | 'clientId'>,
): Promise<OidcClient | undefined> {
  const where = { environmentId: environment.id, issuer, signInClientId: clientId };
  const row = await prisma.endUserIssuer.findFirst({ where, select: { sealedSignInSecret: true } });
  if (!row?.sealedSignInSecret) return undefined;
  return { issuer, clientId, clientSecret: secretBox.open(row.sealedSignInSecret, signInOwner(environment.id)) };
}
