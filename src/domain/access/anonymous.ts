import { ServiceError } from '../../contract/errors.ts';
import type { Sql } from '../../db/sql.ts';
import type { AnonymousCaller, Visitor } from '../context.ts';
import { unauthorized } from './authenticate.ts';

/** What somebody without credentials asks for: a deployment, or a conversation of one. */
export interface RunnerAddress {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
}

/** Where somebody without credentials comes from. */
export interface Origin {
  /** The page that sends the request: its origin or address. */
  readonly page: string | undefined;
  /** Whom the cookie of this deployment's hosted page tells of. */
  visitorOf(deploymentId: string): Visitor | undefined;
}

interface DeploymentRow {
  id: string;
  auth_required: boolean;
  hosted_page: boolean;
  allowlist: string[];
  environment_id: string;
  workspace_id: string;
  anonymous_per_minute: number | null;
  environment_per_minute: number | null;
  concurrent_runs: number | null;
}

/** What an anonymous caller may do with the one deployment (WIRE 4). */
const SCOPES = new Set(['conversations:read', 'conversations:write'] as const);

/**
 * Lets somebody in who has no credentials: a visitor of the deployment's hosted page, or anybody where the deployment
 * takes such and the page that they come from is one of its allowlist. What does not, or is not there, answers as if
 * there were no such thing: 401.
 * @throws {ServiceError} unauthorized, origin_not_allowed
 */
export async function admitAnonymous(sql: Sql, address: RunnerAddress, origin: Origin): Promise<AnonymousCaller> {
  const row = await publishedAt(sql, address);
  const visitor = row && visitorAt(row, origin);
  if (!row || (row.auth_required && !visitor)) throw unauthorized();
  if (!visitor && !isOfAllowlist(row.allowlist, origin.page)) {
    const message = 'This deployment does not take requests from the page that this one comes from.';
    throw new ServiceError('origin_not_allowed', message);
  }
  return callerAt(row, visitor);
}

/** The visitor that a browser is here; undefined where it is none. */
export async function findVisitor(
  sql: Sql,
  address: RunnerAddress,
  origin: Origin,
): Promise<AnonymousCaller | undefined> {
  const row = await publishedAt(sql, address);
  const visitor = row && visitorAt(row, origin);
  return row && visitor && callerAt(row, visitor);
}

async function publishedAt(
  sql: Sql,
  { deploymentId = null, conversationId = null }: RunnerAddress,
): Promise<DeploymentRow | undefined> {
  const [row] = await sql.rows<DeploymentRow>`
    SELECT d.id, d.auth_required, d.hosted_page, d.allowlist, d.anonymous_per_minute, e.id AS environment_id, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs
    FROM deployment d JOIN environment e ON e.workspace_id = d.workspace_id AND e.kind = 'live'
    WHERE d.published_version IS NOT NULL AND d.id = coalesce(${deploymentId}::uuid, (
      SELECT deployment_id FROM conversation WHERE id = ${conversationId}::uuid))`;
  return row;
}

function visitorAt({ id, hosted_page: isHosted }: DeploymentRow, origin: Origin): Visitor | undefined {
  return isHosted ? origin.visitorOf(id) : undefined;
}

function callerAt(row: DeploymentRow, visitor: Visitor | undefined): AnonymousCaller {
  const environment = { id: row.environment_id, kind: 'live', workspaceId: row.workspace_id } as const;
  const limits = {
    requestsPerMinute: null,
    environmentPerMinute: row.environment_per_minute,
    concurrentRuns: row.concurrent_runs,
  };
  const { id, anonymous_per_minute: anonymousPerMinute } = row;
  return { kind: 'anonymous', id, tokenHash: '', environment, scopes: SCOPES, limits, visitor, anonymousPerMinute };
}

/** Whether a page's host is an entry, or a subdomain of one. An empty list allows all. */
function isOfAllowlist(allowlist: readonly string[], page: string | undefined): boolean {
  if (allowlist.length === 0) return true;
  const host = page !== undefined && URL.canParse(page) ? new URL(page).hostname : undefined;
  return host !== undefined && allowlist.some((entry) => host === entry || host.endsWith(`.${entry}`));
}

/** Whether any deployment takes anonymous requests from pages of this origin. */
export async function isPublicOrigin(sql: Sql, origin: string): Promise<boolean> {
  if (!URL.canParse(origin)) return false;
  const labels = new URL(origin).hostname.split('.');
  const hosts = labels.map((_, index) => labels.slice(index).join('.'));
  const [row] = await sql.rows<object>`
    SELECT 1 FROM deployment
    WHERE NOT auth_required AND published_version IS NOT NULL AND (allowlist = '{}' OR allowlist && ${hosts}::text[])
    LIMIT 1`;
  return row !== undefined;
}
