import type { DeploymentKind } from '../../contract/statuses.ts';
import type { PrismaClient } from '../../db/generated/client.ts';
import type { Services, Visitor } from '../context.ts';
import type { SecretBox } from '../secret-box.ts';

const HOURS = 24;

/** A deployment whose hosted page is served. */
export interface HostedDeployment {
  readonly id: string;
  readonly name: string;
  readonly kind: DeploymentKind;
  readonly authRequired: boolean;
  /** Hosts whose pages may talk to it, and show it. */
  readonly allowlist: readonly string[];
  /** Whether a conversation has to begin with a trigger. */
  readonly triggerRequired: boolean;
}

/** The deployment whose page is asked for; undefined where it is not published or has its hosted page off. */
export async function hostedDeployment(prisma: PrismaClient, id: string): Promise<HostedDeployment | undefined> {
  const found = await prisma.deployment.findFirst({
    where: { id, hostedPage: true, publishedVersion: { not: null } },
    select: { id: true, name: true, kind: true, authRequired: true, allowlist: true, workflow: true },
  });
  if (!found) return undefined;
  const { workflow, ...deployment } = found;
  return { ...deployment, triggerRequired: workflow.triggerRequired };
}

/**
 * Makes a browser a visitor of one deployment for 24 hours (WIRE 4); one that is known stays who it is. The token is
 * sealed for that deployment, so that it is of no use to another.
 */
export function admitVisitor(
  { secretBox }: Pick<Services, 'secretBox'>,
  deploymentId: string,
  visitor: Pick<Visitor, 'id'>,
  now: Date,
): { readonly token: string; readonly until: Date } {
  const until = new Date(now.getTime() + HOURS * 3_600_000);
  const sealed = secretBox.seal(JSON.stringify([visitor.id, until.getTime()]), ownerOf(deploymentId));
  return { token: Buffer.from(sealed).toString('base64url'), until };
}

/** The visitor that a token tells of; undefined where it is another deployment's, was changed, or is over. */
export function visitorOfToken(box: SecretBox, deploymentId: string, token: string, now: Date): Visitor | undefined {
  try {
    // Sealed here, in the form that it is opened in.
    const text = box.open(Buffer.from(token, 'base64url'), ownerOf(deploymentId));
    const [id, until] = JSON.parse(text) as [string, number];
    return until > now.getTime() ? { id, until: new Date(until) } : undefined;
  } catch {
    // Whatever a browser sends, it is a visitor or it is none.
    return undefined;
  }
}

function ownerOf(deploymentId: string): string {
  return `visitor of ${deploymentId}`;
}
