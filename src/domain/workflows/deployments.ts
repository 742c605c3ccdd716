import { ServiceError } from '../../contract/errors.ts';
import type { DoubleTextPolicy } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';

/** What an assistant can be run from: a version that a deployment has published, or a draft that is tested. */
export interface RunnableWorkflow {
  /** The deployment; a draft has none. */
  readonly id: string | null;
  readonly workflowId: number;
  /** A draft has none. */
  readonly version: number | null;
  readonly config: WorkflowConfig;
}

/** A deployment that may be run, with the version it has published. */
export interface PublishedDeployment extends RunnableWorkflow {
  readonly id: string;
  readonly version: number;
  /** Whether requests may bring client tools of their own. */
  readonly dynamicClientTools: boolean;
  /** Whether conversations and one-shot runs must start from a trigger. */
  readonly triggerRequired: boolean;
  /** What becomes of a message that comes while a turn of its conversation is running. */
  readonly doubleTextPolicy: DoubleTextPolicy;
  /** Turns of one conversation without credentials; null for what holds everywhere. */
  readonly conversationTurnsPerMinute: number | null;
  /** Turns of all callers together; null for no limit. */
  readonly turnsPerMinute: number | null;
}

/** A published deployment, as `publishedJson` reads it. */
interface DeploymentRow {
  id: string;
  workflow_id: number;
  version: number;
  dynamic_client_tools: boolean;
  trigger_required: boolean;
  double_text_policy: DoubleTextPolicy;
  conversation_turns_per_minute: number | null;
  turns_per_minute: number | null;
}

/**
 * The published deployment of the caller's workspace.
 * @throws {ServiceError} not_found where there is none, it is not published, or it is another workspace's
 */
export async function publishedDeployment(ctx: Context, id: string): Promise<PublishedDeployment> {
  const row = await publishedRow(ctx, id);
  if (!row) throw deploymentNotFound();
  return {
    id: row.id,
    workflowId: row.workflow_id,
    version: row.version,
    dynamicClientTools: row.dynamic_client_tools,
    triggerRequired: row.trigger_required,
    doubleTextPolicy: row.double_text_policy,
    conversationTurnsPerMinute: row.conversation_turns_per_minute,
    turnsPerMinute: row.turns_per_minute,
    config: await configOf(ctx, row),
  };
}

export function deploymentNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no published deployment with this id.', { param: ['deploymentId'] });
}

async function publishedRow(ctx: Context, id: string): Promise<DeploymentRow | null> {
  const { known } = ctx.request;
  if (known?.deploymentId === id && known.workspaceId === ctx.environment.workspaceId) {
    // Read by `publishedJson` for this same id and workspace.
    return known.deployment as DeploymentRow | null;
  }
  const [read] = await ctx.services.sql.rows<{ row: DeploymentRow | null }>`
    SELECT ${publishedJson(id)} AS row FROM environment e WHERE e.id = ${ctx.environment.id}::uuid`;
  return read?.row ?? null;
}

/** A published deployment of the workspace of the environment `e`, as JSON of a `DeploymentRow`; null where there is none. */
export function publishedJson(id: string): Prisma.Sql {
  return Prisma.sql`(
      SELECT to_json(published) FROM (
        SELECT d.id, d.workflow_id, d.published_version AS version, d.dynamic_client_tools, d.double_text_policy,
               d.conversation_turns_per_minute, d.turns_per_minute, w.trigger_required
        FROM deployment d JOIN workflow w ON w.id = d.workflow_id
        WHERE d.id = ${id}::uuid AND d.workspace_id = e.workspace_id AND d.published_version IS NOT NULL
      ) AS published)`;
}

/** A version never changes, so one that was read stays good for as long as its database is open. */
const knownConfigs = new WeakMap<object, Map<string, WorkflowConfig>>();

const MAX_KNOWN = 1_000;

async function configOf({ services }: Context, { workflow_id, version }: DeploymentRow): Promise<WorkflowConfig> {
  const known = knownConfigs.get(services.sql) ?? new Map<string, WorkflowConfig>();
  knownConfigs.set(services.sql, known);
  const key = `${workflow_id}:${version}`;
  const config = known.get(key);
  if (config) return config;
  if (known.size >= MAX_KNOWN) known.clear();
  const [row] = await services.sql.rows<{ config: unknown }>`
    SELECT config FROM workflow_version WHERE workflow_id = ${workflow_id} AND number = ${version}`;
  const read = workflowConfig.parse(row?.config);
  known.set(key, read);
  return read;
}
