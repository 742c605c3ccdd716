import { LIMITS } from '../../../contract/limits.ts';
import type { EnvironmentKind } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { JwtRule, UnverifiedJwt } from './jwt-port.ts';

/** The settings of an environment that can verify a JWT. */
export interface EnvironmentRule extends JwtRule {
  readonly id: string;
  readonly scopeClaim: string | null;
  readonly workspaceId: string;
  readonly kind: EnvironmentKind;
}

/** The deployment or the conversation that a request names. */
export interface JwtAddress {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
}

/**
 * The rules that can verify a JWT. Anybody can save the issuer of somebody else, so the request decides: if it names a
 * deployment or a conversation of a workspace with such a rule, rules of other workspaces do not matter. Without them, at
 * most one rule more than `LIMITS.endUserIssuerCandidates`.
 */
export async function rulesOfJwt(sql: Sql, named: UnverifiedJwt, address: JwtAddress): Promise<EnvironmentRule[]> {
  const place = placeOf(address);
  const addressed = place ? await readRules(sql, named, place) : [];
  return addressed.length > 0 ? addressed : readRules(sql, named, Prisma.empty);
}

/** The condition on the environment `e`. The deployment decides if there are both: the ID of a conversation can be new. */
function placeOf({ deploymentId, conversationId }: JwtAddress): Prisma.Sql | undefined {
  if (deploymentId) {
    return Prisma.sql`AND e.workspace_id = (SELECT d.workspace_id FROM deployment d WHERE d.id = ${deploymentId}::uuid)`;
  }
  if (!conversationId) return undefined;
  return Prisma.sql`AND e.id = (SELECT c.environment_id FROM conversation c WHERE c.id = ${conversationId}::uuid)`;
}

function readRules(sql: Sql, { issuer, audiences }: UnverifiedJwt, place: Prisma.Sql): Promise<EnvironmentRule[]> {
  return sql.rows<EnvironmentRule>`
    SELECT i.id, i.issuer, i.audience, i.jwks_url AS "jwksUrl", i.scope_claim AS "scopeClaim",
           e.workspace_id AS "workspaceId", e.kind::text AS kind
    FROM end_user_issuer i JOIN environment e ON e.id = i.environment_id
    WHERE i.issuer = ${issuer} AND i.audience = ANY (${[...audiences]}::text[]) ${place}
    ORDER BY i.id LIMIT ${LIMITS.endUserIssuerCandidates + 1}`;
}
