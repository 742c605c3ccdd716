import { CLIENT_TOOL_NAMES, DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { CallKind, CallStatus } from '../../../contract/statuses.ts';
import type { ResourceTool } from '../../../contract/tool-names.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { IS_ACTIVE, type PriorEffects } from '../../conversations/timeline.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import { versionToRun } from '../../workflows/deployments.ts';
import { REFUSED } from '../tools/approve-action.ts';

/** An action that may have changed something outside of the conversation. */
export interface Effect {
  readonly callId: string;
  readonly name: string;
  readonly status: CallStatus;
  /** The beginning of their JSON. */
  readonly arguments: string;
}

interface CallRow extends Effect {
  readonly kind: CallKind;
  readonly version: number;
  /** The list of the run says that the tool only reads. */
  readonly isReadOnly: boolean;
}

/** The built-in tools that change something. */
const WRITES: ResourceTool[] = ['create_resource', 'update_resource'];

/**
 * Calls that may have run. A client can have run its own tool although its turn was stopped, but not one that only asks the
 * user.
 */
const MAY_HAVE_RUN = Prisma.sql`(
      (i.kind = 'action' AND i.status IN ('running', 'completed', 'failed'))
      OR (i.kind = 'tool' AND i.status IN ('running', 'completed', 'failed') AND i.name = ANY (${WRITES}))
      OR (i.kind = 'client_tool' AND i.name <> ALL (${DECISION_TOOLS}) AND i.status IN ('completed', 'failed', 'cancelled')
        AND (i.status <> 'cancelled' OR i.name <> ALL (${[...CLIENT_TOOL_NAMES]}))))`;

/** What replaced turns have done, and what earlier turns at their places did. */
export interface ReplacedEffects {
  readonly effects: readonly Effect[];
  /** For the message of the new line. */
  readonly prior: PriorEffects | null;
}

/** The effects of the items of the active line from `from` on. */
export async function effectsFrom(
  ctx: Context,
  { conversationId, deploymentId }: { readonly conversationId: string; readonly deploymentId: string },
  from: bigint,
): Promise<ReplacedEffects> {
  const replaced = Prisma.sql`i.environment_id = ${ctx.environment.id}::uuid AND i.conversation_id = ${conversationId}::uuid
      AND i.id >= ${from} AND i.${IS_ACTIVE}`;
  const calls = await ctx.sql.rows<CallRow>`
    SELECT i.call_id AS "callId", i.name, i.kind::text AS kind, i.status::text AS status,
           left(i.arguments::text, ${LIMITS.effectArgumentsLength}) AS arguments, r.workflow_version AS version,
           r.tools @> jsonb_build_array(jsonb_build_object('name', i.name, 'isReadOnly', true)) AS "isReadOnly"
    FROM timeline_item i CROSS JOIN LATERAL (
      SELECT workflow_version, tools FROM run WHERE run.id = i.run_id AND run.environment_id = ${ctx.environment.id}::uuid OFFSET 0
    ) AS r
    WHERE ${replaced} AND ${MAY_HAVE_RUN}
      AND (i.output ->> 'error') IS DISTINCT FROM ${REFUSED}
    ORDER BY i.id LIMIT ${LIMITS.forkItems}`;
  const earlier = await ctx.sql.rows<{ effects: PriorEffects }>`
    SELECT i.prior_effects AS effects FROM timeline_item i WHERE ${replaced} AND i.prior_effects IS NOT NULL
    ORDER BY i.id DESC LIMIT ${LIMITS.listedEffects}`;
  const configs = new Map<number, WorkflowConfig>();
  const versions = calls.filter(({ kind, version }) => kind === 'action' && version > 0).map((call) => call.version);
  for (const version of new Set(versions))
    configs.set(version, (await versionToRun(ctx, deploymentId, version)).config);
  const effects = calls.filter((call) => hasEffect(call, configs.get(call.version)));
  const before = earlier.map((row) => row.effects).reverse();
  return { effects, prior: priorOf(effects, before) };
}

/**
 * Whether a call that may have run may have changed something. What a tool of an MCP server does is not known, unless its
 * integration trusts the server's hints. Neither is an action of another workflow, which a fork can have. A client tool runs in the product of the customer.
 */
function hasEffect({ kind, name, isReadOnly }: CallRow, config: WorkflowConfig | undefined): boolean {
  if (kind !== 'action') return true;
  if (isReadOnly) return false;
  const action = config?.httpActions.find((one) => one.name === name);
  return !(action?.method === 'GET' || action?.retrySafe);
}

/** The actions of replaced turns together, each once: the latest ones. Null: there are no actions. */
export function priorOf(effects: readonly Effect[], earlier: readonly PriorEffects[]): PriorEffects | null {
  const own = effects.map(({ callId, name, status, arguments: args }) => ({ callId, name, status, arguments: args }));
  const all = new Map([...earlier.flatMap(({ calls }) => calls), ...own].map((call) => [call.callId, call]));
  if (all.size === 0) return null;
  const calls = [...all.values()].slice(-LIMITS.listedEffects);
  // The lists of two variants can have the same further actions.
  return { calls, others: Math.max(0, ...earlier.map(({ others }) => others)) + all.size - calls.length };
}

/** @throws {ServiceError} turn_has_effects if the caller has not acknowledged these effects */
export function requireAcknowledged(effects: readonly Effect[], acknowledged: boolean): void {
  if (effects.length === 0 || acknowledged) return;
  const names = [...new Set(effects.map(({ name }) => name))].slice(0, 5).join(', ');
  throw new ServiceError(
    'turn_has_effects',
    `The turns to replace have run actions that may have changed something: ${names}. They are not undone. To replace the turns nevertheless, set {param} to true.`,
    {
      param: ['acknowledgeEffects'],
      facts: {
        effects: effects
          .slice(0, LIMITS.listedEffects)
          .map(({ callId, name, status }) => ({ call_id: callId, name, status })),
        effect_count: effects.length,
      },
    },
  );
}
