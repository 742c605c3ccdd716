import type { Mutant } from './mutant.ts';

const TEST = 'spec/budgets.test.ts';
const PAUSE = 'spec/budget-pause.test.ts';
const WAITS = 'spec/budget-waits.test.ts';
const STOPS = 'spec/budget-stops.test.ts';
const ESTIMATES = 'spec/budget-estimates.test.ts';
const DEFAULTS_TEST = 'spec/default-budgets.test.ts';
const PLACES_TEST = 'spec/budget-places.test.ts';
const DEFAULTS = 'domain/budgets/default-budgets.ts';
const RESERVE = 'domain/budgets/reserve.ts';
const SETTLE = 'domain/budgets/settle.ts';

/** Guards of the budgets of model steps. */
export const BUDGET_STEPS: readonly Mutant[] = [
  {
    name: 'a step is reserved although a budget has no room',
    file: RESERVE,
    find: 'AND NOT EXISTS (SELECT FROM judged WHERE is_full) AS reserve',
    replace: 'AS reserve',
    test: TEST,
  },
  {
    name: 'a step takes the room of a reservation that another one has ended meanwhile',
    file: RESERVE,
    find: 'WHERE ${ofWork} FOR UPDATE OF r',
    replace: 'WHERE ${ofWork}',
    test: 'engine/budget-races.test.ts',
  },
  {
    name: 'a stored step stays reserved',
    file: SETTLE,
    find: 'reserved = greatest(0, b.reserved - coalesce((SELECT sum(amount) FROM released WHERE budget_id = b.id), 0)),',
    replace: 'reserved = b.reserved,',
    test: TEST,
  },
  {
    name: 'a budget warns with each step after its share',
    file: SETTLE,
    find: '${IS_WARNED}, false) AND billed.warned_at IS NULL AS is_warned',
    replace: '${IS_WARNED}, false) AS is_warned',
    test: TEST,
  },
  {
    name: 'a turn is stored although a budget is reached',
    file: 'domain/agent/limits/budgets.ts',
    find: 'if (!budgets.some(({ isReached }) => isReached)) return',
    replace: 'if (budgets.length >= 0) return',
    test: TEST,
  },
  {
    name: 'a step under a budget has no limit of its reply',
    file: 'domain/agent/prompt/ask-model.ts',
    find: 'asked: { ...prompt, maxReplyTokens }, size',
    replace: 'asked: prompt, size',
    test: TEST,
  },
  {
    name: 'a removed default budget still counts',
    file: RESERVE,
    find: '${isAt(ctx, place)} AND ${isInForce(place.defaults)}',
    replace: '${isAt(ctx, place)} AND (${isInForce(place.defaults)} OR true)',
    test: DEFAULTS_TEST,
  },
  {
    name: 'a default budget changes what somebody has set',
    file: DEFAULTS,
    find: 'AND b.is_default\n        AND (b.unit',
    replace: 'AND (b.unit',
    test: DEFAULTS_TEST,
  },
  {
    name: 'the default budget of a waiting run is deleted',
    file: DEFAULTS,
    find: "run.status IN ('running', 'waiting_for_client_action'))",
    replace: 'false)',
    test: DEFAULTS_TEST,
  },
  {
    name: 'a turn is accepted before its default budgets exist',
    file: 'domain/agent/limits/budgets.ts',
    find: 'await makeDefaults(ctx, place);',
    replace: '',
    test: DEFAULTS_TEST,
  },
  {
    name: 'a budget of a run that has ended is set',
    file: 'domain/budgets/set-budget.ts',
    find: 'if (ACTIVE_RUN_STATUSES.includes(run.status)) return',
    replace: 'if (run.status) return',
    test: PLACES_TEST,
  },
  {
    name: 'an idempotency key keeps that a budget was reached',
    file: 'operation/idempotency.ts',
    find: 'new Set([401, 402, 403,',
    replace: 'new Set([401, 403,',
    test: TEST,
  },
  {
    name: 'a budget that pauses refuses agent turns',
    file: 'domain/agent/limits/budgets.ts',
    find: 'if (canPause && error.raisable && (await canWait(ctx, error.raisable.id))) return;',
    replace: '',
    test: PAUSE,
  },
  {
    name: 'a turn waits for a budget although another one refuses it',
    file: 'domain/budgets/budget-reached.ts',
    find: 'blocking.every(',
    replace: 'blocking.some(',
    test: PAUSE,
  },
  {
    name: 'a late answer raises the next period',
    file: 'domain/budgets/raise.ts',
    find: 'AND coalesce(more."periodEndsAt" > ${at}, true)',
    replace: '',
    test: WAITS,
  },
  {
    name: 'a refused raise continues the turn',
    file: 'domain/agent/run/run-turn.ts',
    find: 'if (turn.resumed) requireRaise(entries, turn);',
    replace: '',
    test: PAUSE,
  },
  {
    name: 'all turns that wait for a budget continue, although one fits',
    file: 'domain/agent/queue/affordable-runs.ts',
    find: 'OVER (PARTITION BY environment_id, budget_id ORDER BY id)',
    replace: 'OVER (PARTITION BY environment_id, budget_id, id)',
    test: WAITS,
  },
  {
    name: 'a question about a budget is no step of its own',
    file: 'domain/agent/run/ask-to-raise.ts',
    find: 'step: stage.step + 1',
    replace: 'step: stage.step',
    test: PAUSE,
  },
  {
    name: 'a step that was stopped costs nothing',
    file: 'domain/agent/prompt/ask-model.ts',
    find: 'if (error instanceof ModelError && error.writtenBytes !== undefined) {',
    replace: 'if (error instanceof ModelError && error.writtenBytes === -1) {',
    test: ESTIMATES,
  },
  {
    name: 'a step that the provider rejected costs its prompt',
    file: 'model/provider-step.ts',
    find: 'run.isAsked = run.signal.aborted;\n    throw fault;',
    replace: 'throw fault;',
    test: ESTIMATES,
  },
  {
    name: 'the tokens that a provider does not report are free',
    file: 'domain/agent/prompt/ask-model.ts',
    find: 'inputTokens: inputTokens || estimated.inputTokens',
    replace: 'inputTokens',
    test: 'spec/token-counts.test.ts',
  },
  {
    name: 'a first step does not reserve what is new since the counted prompt',
    file: 'domain/budgets/spending.ts',
    find: 'last.tokens + most - last.most',
    replace: 'last.tokens',
    test: ESTIMATES,
  },
  {
    name: 'the reservation of a one-shot run can end while its actions run',
    file: 'domain/agent/run/request-run.ts',
    find: 'await spending?.settle();',
    replace: '',
    test: ESTIMATES,
  },
  {
    name: 'a stopped summary is in the budget and not in the usage',
    file: 'domain/agent/prompt/turn-context.ts',
    find: 'const isOwn = error instanceof ModelError ||',
    replace: 'const isOwn = (error instanceof ModelError && !signal.aborted) ||',
    test: ESTIMATES,
  },
  {
    name: 'calls that break off cost nothing',
    file: 'model/provider-step.ts',
    find: 'if (isRefused && reply.callsLength === 0) run.isAsked',
    replace: 'run.isAsked',
    test: ESTIMATES,
  },
  {
    name: 'a first step relies on the count of another model',
    file: 'domain/budgets/spending.ts',
    find: 'last.key === key && ',
    replace: '',
    test: ESTIMATES,
  },
  {
    name: 'a first step relies on a prompt of which a part is left out',
    file: 'domain/agent/run/run-turn.ts',
    find: 'if (continues) spending?.continue',
    replace: 'spending?.continue',
    test: ESTIMATES,
  },
  {
    name: 'a model without a price stops running turns',
    file: 'domain/budgets/budget-reached.ts',
    find: ' && isUsedUp && !isUnpriced',
    replace: ' && isUsedUp',
    test: STOPS,
  },
  {
    name: 'a refused turn is an empty reply',
    file: 'domain/agent/settle/failed-turn.ts',
    find: 'isRefused: error instanceof BudgetReachedError && step === 0 && !turn.resumed,',
    replace: 'isRefused: false,',
    test: STOPS,
  },
  {
    name: 'a turn waits for a default budget that was removed',
    file: 'domain/agent/queue/affordable-runs.ts',
    find: 'OR ${IS_OTHER_DEFAULT} AS is_other',
    replace: 'AS is_other',
    test: WAITS,
  },
];
