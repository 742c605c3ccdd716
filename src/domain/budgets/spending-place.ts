import type { Context } from '../context.ts';
import { defaultBudgetsOf, type PlaceDefault } from '../workflows/default-budgets.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';

/** Where the steps of some work run. */
export interface SpendingPlace {
  /** Null: the draft of a workflow. */
  readonly deploymentId: string | null;
  /** Null: the work has no conversation. */
  readonly conversationId: string | null;
  /** The end user who asks. Null: it has no end user, or they are that of the conversation. */
  readonly endUser: string | null;
  /** The run of a turn. Null: the work has no run yet, or never. */
  readonly runId: string | null;
  /** Whether the caller has no identity. A run also counts so if such a caller started it. */
  readonly isVisitor: boolean;
  readonly defaults: readonly PlaceDefault[];
}

/** The place of what the caller asks for. */
export function placeOfCaller(
  { caller }: Context,
  deployment: RunnableWorkflow,
  conversationId: string | null,
): SpendingPlace {
  const endUser = caller.kind === 'end_user' ? caller.endUser : null;
  return {
    ...{ deploymentId: deployment.id, conversationId, endUser, runId: null },
    ...{ isVisitor: caller.kind === 'anonymous', defaults: defaultBudgetsOf(deployment) },
  };
}

/** The place of a run. Its conversation names the end user. */
export function placeOfRun(
  ctx: Context,
  deployment: RunnableWorkflow,
  conversationId: string,
  runId: string,
): SpendingPlace {
  return { ...placeOfCaller(ctx, deployment, conversationId), endUser: null, runId };
}
