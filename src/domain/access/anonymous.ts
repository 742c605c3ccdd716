import { ServiceError } from '../../contract/errors.ts';
import { hostOfPage, isListedHost } from '../../contract/site-hosts.ts';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import type { AnonymousCaller, Visitor } from '../caller.ts';
import type { KnownDeployment } from '../request.ts';
import { notPublic } from './unauthorized.ts';

/** The target of a runner request: a deployment or a conversation, and the trigger that it starts from. */
export interface RunnerAddress {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly triggerId?: string | null | undefined;
}

/** The origin of a request without credentials. */
export interface Origin {
  /** The page that sends the request: its `Origin`, else its `Referer`. */
  readonly page: string | undefined;
  /** The visitor that the cookie of this deployment's hosted page identifies. */
  visitorOf(deploymentId: string): Visitor | undefined;
}

interface DeploymentRow {
  id: string;
  auth_required: boolean;
  hosted_page: boolean;
  allowlist: string[];
  environment_id: string;
  kind: EnvironmentKind;
  workspace_id: string;
  anonymous_per_minute: number | null;
  environment_per_minute: number | null;
  concurrent_runs: number | null;
  published: unknown;
  /** Whether the conversation that the request names belongs to an end user. */
  is_owned: boolean;
}

/** An anonymous caller, and their deployment as read by `published`. */
export interface Admission {
  readonly caller: AnonymousCaller;
  readonly deployment: KnownDeployment;
  /** Whether the conversation of the request belongs to an end user, so that the caller must not know it. */
  readonly isOwned: boolean;
}

/** SQL that reads the published deployment. It can refer to the deployment `dep` and the environment `e`. */
export type ReadPublished = (id: Prisma.Sql) => Prisma.Sql;

/** The scopes of an anonymous caller at one deployment. */
const SCOPES = new Set(['conversations:read', 'conversations:write'] as const);

/**
 * Admits a request without credentials: from a visitor of the hosted page, or from an allowed page if the deployment needs
 * no credentials. The result for an unknown deployment is the same as for one that needs credentials.
 * @throws {ServiceError} unauthorized, origin_not_allowed
 */
export async function admitAnonymous(
  sql: Sql,
  address: RunnerAddress,
  origin: Origin,
  published: ReadPublished,
): Promise<Admission> {
  const row = await findPublished(sql, address, published);
  const visitor = row && visitorAt(row, origin);
  if (!row || (row.auth_required && !visitor)) throw notPublic();
  if (!visitor && !allowsSite(row.allowlist, origin.page)) throw originNotAllowed(origin.page);
  return admission(row, visitor);
}

/** The visitor of the browser. Undefined if the hosted page is off or there is no valid cookie. */
export async function findVisitor(
  sql: Sql,
  address: RunnerAddress,
  origin: Origin,
  published: ReadPublished,
): Promise<Admission | undefined> {
  const row = await findPublished(sql, address, published);
  const visitor = row && visitorAt(row, origin);
  return row && visitor && admission(row, visitor);
}

/** The deployment, and the environment of the request: that of its trigger, else live. */
async function findPublished(
  sql: Sql,
  { deploymentId = null, conversationId = null, triggerId = null }: RunnerAddress,
  published: ReadPublished,
): Promise<DeploymentRow | undefined> {
  if (!deploymentId && !conversationId) return undefined;
  const trigger = conversationId
    ? Prisma.sql`t.conversation_id = ${conversationId}::uuid`
    : Prisma.sql`t.id = ${triggerId}`;
  const [row] = await sql.rows<DeploymentRow>`
    SELECT dep.id, dep.auth_required, dep.hosted_page, dep.allowlist, dep.anonymous_per_minute,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs,
           ${published(Prisma.sql`dep.id`)} AS published, EXISTS (
             SELECT FROM conversation WHERE id = ${conversationId}::uuid AND end_user IS NOT NULL) AS is_owned
    FROM deployment dep JOIN environment e ON e.workspace_id = dep.workspace_id AND e.id = coalesce(
      (SELECT t.environment_id FROM trigger t WHERE t.deployment_id = dep.id AND ${trigger} LIMIT 1),
      (SELECT live.id FROM environment live WHERE live.workspace_id = dep.workspace_id AND live.kind = 'live'))
    WHERE dep.published_version IS NOT NULL AND dep.id = coalesce(${deploymentId}::uuid, (
      SELECT deployment_id FROM conversation WHERE id = ${conversationId}::uuid AND end_user IS NULL))`;
  return row;
}

function visitorAt({ id, hosted_page: isHosted }: DeploymentRow, origin: Origin): Visitor | undefined {
  return isHosted ? origin.visitorOf(id) : undefined;
}

function admission(row: DeploymentRow, visitor: Visitor | undefined): Admission {
  const { id, kind, workspace_id: workspaceId, anonymous_per_minute: anonymousPerMinute } = row;
  const environment = { id: row.environment_id, kind, workspaceId };
  const limits = {
    requestsPerMinute: null,
    environmentPerMinute: row.environment_per_minute,
    concurrentRuns: row.concurrent_runs,
  };
  return {
    caller: { kind: 'anonymous', id, tokenHash: '', environment, scopes: SCOPES, limits, visitor, anonymousPerMinute },
    deployment: { deploymentId: id, workspaceId, deployment: row.published },
    isOwned: row.is_owned,
  };
}

/** Whether the host of a page is in the list, or is a subdomain of an entry. An empty list allows every page. */
export function allowsSite(allowlist: readonly string[], page: string | undefined): boolean {
  if (allowlist.length === 0) return true;
  const host = siteOf(page);
  return host !== undefined && isListedHost(allowlist, host);
}

/** The message repeats only a host that the sender named, and no entry of the allowlist. */
function originNotAllowed(page: string | undefined): ServiceError {
  const host = siteOf(page);
  const message = host
    ? `This deployment does not accept requests from pages of ${host}. Add ${host} to its allowlist.`
    : 'This deployment accepts only requests from pages on its allowlist. Send the request from such a page, or send an API key.';
  return new ServiceError('origin_not_allowed', message);
}

function siteOf(page: string | undefined): string | undefined {
  return page === undefined || page.length > PAGE_LENGTH ? undefined : hostOfPage(page);
}

/** Limit: length of an `Origin` or `Referer` that is compared. */
const PAGE_LENGTH = 8_192;
