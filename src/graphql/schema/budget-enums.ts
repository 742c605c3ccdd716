import { BUDGET_PERIODS, BUDGET_PLACES, BUDGET_REACHED_POLICIES } from '../../contract/statuses.ts';
import { enumType } from './enum-type.ts';

export const BudgetPlaceEnum = enumType('BudgetPlace', BUDGET_PLACES, {
  description: 'What a budget applies to.',
  values: {
    environment: 'All model steps of the environment.',
    deployment: 'The turns of a deployment in the environment.',
    end_user: 'The turns of the conversations of an end user, of all deployments or of one.',
    visitors: 'The turns of all callers of a deployment without an identity together.',
    conversation: 'The turns of a conversation.',
    run: 'A turn.',
  },
});

export const BudgetPeriodEnum = enumType('BudgetPeriod', BUDGET_PERIODS, {
  description: 'How often a budget begins again. Days and months have the time zone of the environment.',
  values: {
    total: 'Never.',
    day: 'Each day at midnight.',
    month: 'On the first day of each month at midnight.',
  },
});

export const BudgetReachedPolicyEnum = enumType('BudgetReachedPolicy', BUDGET_REACHED_POLICIES, {
  description: 'What happens when a budget is used up.',
  values: {
    refuse: 'New turns are refused. Running turns finish their step and end.',
    stop: 'New turns are refused. Running steps are stopped too.',
    pause: 'Agent turns wait until a member raises the budget, or until it has room again. Other turns are refused.',
  },
});
