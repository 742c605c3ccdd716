import type { BudgetPlace } from '../../contract/statuses.ts';
import type { DefaultBudget } from '../../shapes/environment.ts';
import type { WorkflowConfig } from './config.ts';

/** A budget that each place of a kind gets. */
export interface PlaceDefault {
  readonly kind: BudgetPlace;
  readonly budget: DefaultBudget;
}

interface Defaults {
  readonly config: Pick<WorkflowConfig, 'runBudget' | 'conversationBudget'>;
  /** Undefined: a draft, which has no deployment. */
  readonly endUserBudget?: DefaultBudget | null;
  readonly visitorBudget?: DefaultBudget | null;
}

/** The default budgets of a workflow and its deployment. */
export function defaultBudgetsOf({ config, endUserBudget, visitorBudget }: Defaults): readonly PlaceDefault[] {
  const { runBudget, conversationBudget } = config;
  return [
    ...(runBudget ? [{ kind: 'run', budget: runBudget } as const] : []),
    ...(conversationBudget ? [{ kind: 'conversation', budget: conversationBudget } as const] : []),
    ...(endUserBudget ? [{ kind: 'end_user', budget: endUserBudget } as const] : []),
    ...(visitorBudget ? [{ kind: 'visitors', budget: visitorBudget } as const] : []),
  ];
}
