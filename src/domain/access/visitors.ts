import { LIMITS } from '../../contract/limits.ts';
import type { DeploymentKind } from '../../contract/statuses.ts';
import type { Sql } from '../../db/sql.ts';
import { type Branding, brandingOf } from '../branding/branding.ts';
import type { Visitor } from '../caller.ts';
import type { SomeServices } from '../context.ts';
import type { SecretBox } from '../secret-box.ts';

const HOURS = 24;

/** A deployment with a hosted page. */
export interface HostedDeployment {
  readonly id: string;
  readonly name: string;
  readonly kind: DeploymentKind;
  readonly authRequired: boolean;
  /** Hosts whose pages can call the deployment and embed its page. */
  readonly allowlist: readonly string[];
  /** Whether a conversation must start from a trigger. */
  readonly triggerRequired: boolean;
  readonly branding: Branding;
  /** The limit of one file of a visitor. */
  readonly maxFileBytes: number;
  /** Whether its users can edit messages, regenerate replies and fork conversations. */
  readonly allowEditing: boolean;
}

interface HostedRow extends Omit<HostedDeployment, 'branding' | 'maxFileBytes'> {
  readonly branding: unknown;
  readonly maxFileBytes: number | null;
}

/** Returns undefined if the deployment is not published or its hosted page is off. */
export async function hostedDeployment(sql: Sql, id: string): Promise<HostedDeployment | undefined> {
  const [row] = await sql.rows<HostedRow>`
    SELECT d.id, d.name, d.kind::text AS kind, d.auth_required AS "authRequired", d.allowlist, d.branding,
           w.trigger_required AS "triggerRequired", d.max_file_bytes AS "maxFileBytes",
           d.allow_editing AS "allowEditing"
    FROM deployment d JOIN workflow w ON w.id = d.workflow_id
    WHERE d.id = ${id}::uuid AND d.hosted_page AND d.published_version IS NOT NULL`;
  if (!row) return undefined;
  const { branding, maxFileBytes } = row;
  return { ...row, branding: brandingOf(branding), maxFileBytes: maxFileBytes ?? LIMITS.defaultAnonymousFileBytes };
}

/**
 * Creates a visitor token for one deployment, valid for 24 hours. A returning visitor keeps their ID. The token
 * is encrypted for that deployment and is not valid for others.
 */
export function admitVisitor(
  { settings: { secretBox } }: SomeServices<'secretBox'>,
  deploymentId: string,
  visitor: Pick<Visitor, 'id'>,
  now: Date,
): { readonly token: string; readonly until: Date } {
  const until = new Date(now.getTime() + HOURS * 3_600_000);
  const sealed = secretBox.seal(JSON.stringify([visitor.id, until.getTime()]), ownerOf(deploymentId));
  return { token: Buffer.from(sealed).toString('base64url'), until };
}

/** Returns undefined if the token belongs to another deployment, was changed, or has expired. */
export function visitorOfToken(box: SecretBox, deploymentId: string, token: string, now: Date): Visitor | undefined {
  try {
    // `admitVisitor` wrote this value.
    const text = box.open(Buffer.from(token, 'base64url'), ownerOf(deploymentId));
    const [id, until] = JSON.parse(text) as [string, number];
    return until > now.getTime() ? { id, until: new Date(until) } : undefined;
  } catch {
    // An invalid cookie is ignored.
    return undefined;
  }
}

function ownerOf(deploymentId: string): string {
  return `visitor of ${deploymentId}`;
}
