import { ServiceError } from '../../contract/errors.ts';
import type { DoubleTextPolicy } from '../../contract/statuses.ts';
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

interface DeploymentRow {
  id: string;
  workflow_id: number;
  version: number;
  dynamic_client_tools: boolean;
  trigger_required: boolean;
  double_text_policy: DoubleTextPolicy;
  conversation_turns_per_minute: number | null;
  turns_per_minute: number | null;
  config: unknown;
}

/**
 * The published deployment of the caller's workspace.
 * @throws {ServiceError} not_found where there is none, it is not published, or it is another workspace's
 */
export async function publishedDeployment(ctx: Context, id: string): Promise<PublishedDeployment> {
  const [row] = await ctx.services.sql.rows<DeploymentRow>`
    SELECT d.id, d.workflow_id, d.dynamic_client_tools, d.double_text_policy::text AS double_text_policy,
           d.conversation_turns_per_minute, d.turns_per_minute, w.trigger_required, v.number AS version, v.config
    FROM deployment d
    JOIN workflow w ON w.id = d.workflow_id
    JOIN workflow_version v ON v.workflow_id = d.workflow_id AND v.number = d.published_version
    WHERE d.id = ${id}::uuid AND d.workspace_id = ${ctx.environment.workspaceId}::uuid`;
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
    config: configOf(ctx.services.prisma, row),
  };
}

export function deploymentNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no published deployment with this id.', { param: ['deploymentId'] });
}

/** Versions never change, so one that was parsed stays good for as long as its database is open. */
const parsedConfigs = new WeakMap<object, Map<string, WorkflowConfig>>();

const MAX_PARSED = 1_000;

function configOf(database: object, { workflow_id, version, config }: DeploymentRow): WorkflowConfig {
  const parsed = parsedConfigs.get(database) ?? new Map<string, WorkflowConfig>();
  parsedConfigs.set(database, parsed);
  const key = `${workflow_id}:${version}`;
  const known = parsed.get(key);
  if (known) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const fresh = workflowConfig.parse(config);
  parsed.set(key, fresh);
  return fresh;
}
