import { BoundedCache, bytesOfJson } from '../../cache/bounded-cache.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { DoubleTextPolicy, ReaderGonePolicy, StartChallenge } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';

/** A workflow to run: the published version of a deployment, or a draft under test. */
export interface RunnableWorkflow {
  /** The deployment ID. Null for a draft. */
  readonly id: string | null;
  readonly workflowId: number;
  /** Null for a draft. */
  readonly version: number | null;
  readonly config: WorkflowConfig;
}

/** A deployment with its published version. */
export interface PublishedDeployment extends RunnableWorkflow {
  readonly id: string;
  readonly version: number;
  /** Whether requests can add client tools. */
  readonly dynamicClientTools: boolean;
  /** Whether conversations and one-shot runs must start from a trigger. */
  readonly triggerRequired: boolean;
  /** How to handle a message that arrives while a turn of its conversation is running. */
  readonly doubleTextPolicy: DoubleTextPolicy;
  /** What happens to a streamed v1 reply whose reader disconnects. */
  readonly onReaderGone: ReaderGonePolicy;
  /** Limit: turns per conversation without credentials. Null means the general limit. */
  readonly conversationTurnsPerMinute: number | null;
  /** Limit: turns of all callers together. Null means no limit. */
  readonly turnsPerMinute: number | null;
  /** Limits: turns without credentials per IP address and per visitor. Null means no limit. */
  readonly visitorTurnsPerHour: number | null;
  readonly visitorTurnsPerDay: number | null;
  /** What a caller without credentials solves before a start. */
  readonly challenge: StartChallenge;
  /** Whether the environment keeps traces of turns. */
  readonly keepsTraces: boolean;
}

/** The columns that `publishedJson` reads. */
interface DeploymentRow {
  id: string;
  workflow_id: number;
  version: number;
  dynamic_client_tools: boolean;
  trigger_required: boolean;
  double_text_policy: DoubleTextPolicy;
  on_reader_gone: ReaderGonePolicy;
  conversation_turns_per_minute: number | null;
  turns_per_minute: number | null;
  visitor_turns_per_hour: number | null;
  visitor_turns_per_day: number | null;
  challenge: StartChallenge;
  keeps_traces: boolean;
}

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

async function deploymentOf(ctx: Context, row: DeploymentRow): Promise<PublishedDeployment> {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    version: row.version,
    dynamicClientTools: row.dynamic_client_tools,
    triggerRequired: row.trigger_required,
    doubleTextPolicy: row.double_text_policy,
    onReaderGone: row.on_reader_gone,
    conversationTurnsPerMinute: row.conversation_turns_per_minute,
    turnsPerMinute: row.turns_per_minute,
    visitorTurnsPerHour: row.visitor_turns_per_hour,
    visitorTurnsPerDay: row.visitor_turns_per_day,
    challenge: row.challenge,
    keepsTraces: row.keeps_traces,
    config: await configOf(ctx, row),
  };
}

export function deploymentNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no published deployment with this ID.', { param: ['deploymentId'] });
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

const COLUMNS = Prisma.sql`d.id, d.workflow_id, d.dynamic_client_tools, d.double_text_policy, d.on_reader_gone,
               d.conversation_turns_per_minute, d.turns_per_minute, d.visitor_turns_per_hour,
               d.visitor_turns_per_day, d.challenge, w.trigger_required, NOT EXISTS (
                 SELECT FROM retention WHERE retention.environment_id = e.id AND trace_days = 0) AS keeps_traces`;

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

async function configOf({ services, sql }: Context, { workflow_id, version }: DeploymentRow): Promise<WorkflowConfig> {
  const cache = configCaches.get(services.sql) ?? new BoundedCache<WorkflowConfig>('workflowConfigurations');
  configCaches.set(services.sql, cache);
  const key = `${workflow_id}:${version}`;
  const config = cache.get(key);
  if (config) return config;
  const [row] = await sql.rows<{ config: unknown }>`
    SELECT config FROM workflow_version WHERE workflow_id = ${workflow_id} AND number = ${version}`;
  const read = workflowConfig.parse(row?.config);
  cache.set(key, read, bytesOfJson(row?.config));
  return read;
}
