import { BoundedCache, bytesOfJson } from '../../cache/bounded-cache.ts';
import { ServiceError } from '../../contract/errors.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { DefaultBudget } from '../../shapes/environment.ts';
import { DEPLOYMENT_SETTINGS, type DeploymentSettings } from '../../shapes/workflows.ts';
import type { Context } from '../context.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { defaultBudgetsOf } from './default-budgets.ts';

/** A workflow to run: the published version of a deployment, or a draft under test. */
export interface RunnableWorkflow {
  /** The deployment ID. Null for a draft. */
  readonly id: string | null;
  readonly workflowId: number;
  /** Null for a draft. */
  readonly version: number | null;
  readonly config: WorkflowConfig;
  /** Whether the environment has had a budget, or the workflow or the deployment has a default budget. */
  readonly hasBudgets: boolean;
  readonly endUserBudget?: DefaultBudget | null;
  readonly visitorBudget?: DefaultBudget | null;
}

/** A deployment with its published version. */
export interface PublishedDeployment extends Omit<RunnableWorkflow, keyof DeploymentSettings>, DeploymentSettings {
  readonly id: string;
  readonly version: number;
  /** Whether conversations and one-shot runs must start from a trigger. */
  readonly triggerRequired: boolean;
  /** Whether the environment keeps traces of turns. */
  readonly keepsTraces: boolean;
  /** Whether some of its conversations run a version of their own. */
  readonly keepsVersions: boolean;
}

/** The columns that `publishedJson` reads. */
type DeploymentRow = Omit<PublishedDeployment, 'config'>;

/**
 * Finds a published deployment of the caller's workspace.
 * @throws {ServiceError} not_found if it does not exist, is not published, or belongs to another workspace
 */
export async function publishedDeployment(ctx: Context, id: string): Promise<PublishedDeployment> {
  const row = await publishedRow(ctx, id);
  if (!row) throw deploymentNotFound();
  return deploymentOf(ctx, row);
}

/** A deployment with the version that a run has started with. The deployment may have a different version now. */
export async function versionToRun(ctx: Context, id: string, version: number): Promise<PublishedDeployment> {
  const [row] = await ctx.sql.rows<DeploymentRow>`
    SELECT ${COLUMNS}, ${version}::int AS version
    FROM environment e JOIN deployment d ON d.workspace_id = e.workspace_id JOIN workflow w ON w.id = d.workflow_id
    WHERE e.id = ${ctx.environment.id}::uuid AND d.id = ${id}::uuid AND d.workspace_id = ${ctx.environment.workspaceId}::uuid`;
  if (!row) throw deploymentNotFound();
  return deploymentOf(ctx, row);
}

/** The deployment with another version of its workflow. @throws {ServiceError} not_found */
export function atVersion(
  ctx: Context,
  deployment: PublishedDeployment,
  version: number,
): Promise<PublishedDeployment> {
  return deploymentOf(ctx, { ...deployment, version });
}

async function deploymentOf(ctx: Context, row: DeploymentRow): Promise<PublishedDeployment> {
  const config = await configOf(ctx, row);
  return { ...row, config, hasBudgets: row.hasBudgets || defaultBudgetsOf({ ...row, config }).length > 0 };
}

export function deploymentNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no published deployment with this ID.', { param: ['deploymentId'] });
}

export function unknownVersion(param: string): ServiceError {
  return new ServiceError('not_found', 'The workflow has no such version. Check {param}.', { param: [param] });
}

async function publishedRow(ctx: Context, id: string): Promise<DeploymentRow | null> {
  const { known } = ctx.request;
  if (known?.deploymentId === id && known.workspaceId === ctx.environment.workspaceId) {
    // `publishedJson` read this value for the same ID and workspace.
    return known.deployment as DeploymentRow | null;
  }
  const [read] = await ctx.sql.rows<{ row: DeploymentRow | null }>`
    SELECT ${publishedJson(id)} AS row FROM environment e WHERE e.id = ${ctx.environment.id}::uuid`;
  return read?.row ?? null;
}

const SETTINGS = Prisma.raw(
  Object.keys(DEPLOYMENT_SETTINGS)
    .map((name) => `d.${snakeCase(name)} AS "${name}"`)
    .join(', '),
);

const COLUMNS = Prisma.sql`d.id, d.workflow_id AS "workflowId", ${SETTINGS}, w.trigger_required AS "triggerRequired", d.keeps_versions AS "keepsVersions", e.has_budgets AS "hasBudgets",
               NOT EXISTS (SELECT FROM retention WHERE retention.environment_id = e.id AND trace_days = 0) AS "keepsTraces"`;

/** SQL for a published deployment in the workspace of the environment `e`: JSON of a `DeploymentRow`, or null. */
export function publishedJson(id: string | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
      SELECT to_json(published) FROM (
        SELECT ${COLUMNS}, d.published_version AS version
        FROM deployment d JOIN workflow w ON w.id = d.workflow_id
        WHERE d.id = ${id}::uuid AND d.workspace_id = e.workspace_id AND d.published_version IS NOT NULL
      ) AS published)`;
}

/** Cached per database. A version never changes, so the cache needs no invalidation. */
const configCaches = new WeakMap<object, BoundedCache<WorkflowConfig>>();

async function configOf({ services, sql }: Context, { workflowId, version }: DeploymentRow): Promise<WorkflowConfig> {
  const cache = configCaches.get(services.stores.sql) ?? new BoundedCache<WorkflowConfig>('workflowConfigurations');
  configCaches.set(services.stores.sql, cache);
  const key = `${workflowId}:${version}`;
  const config = cache.get(key);
  if (config) return config;
  const [row] = await sql.rows<{ config: unknown }>`
    SELECT config FROM workflow_version WHERE workflow_id = ${workflowId} AND number = ${version}`;
  if (!row) throw unknownVersion('workflowVersion');
  const read = workflowConfig.parse(row.config);
  cache.set(key, read, bytesOfJson(row.config));
  return read;
}
