import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import {
  BUDGET_PERIODS,
  BUDGET_PLACES,
  BUDGET_REACHED_POLICIES,
  type BudgetPeriod,
  type BudgetReachedPolicy,
} from '../contract/statuses.ts';
import { EXPIRY } from './deadlines.ts';
import { type Input, input, type Meaning, required, rulesOf, type Shape } from './field.ts';
import { choice, flag, id, integer, number, object, text, textOf } from './kinds.ts';

/** The limits of an environment. Each is a column of the same name. */
export const ENVIRONMENT_LIMITS = {
  requestsPerMinute: integer({
    says: 'Requests per minute of all callers together',
    most: LIMITS.ratePerMinute,
    without: 'no limit',
  }),
  concurrentRuns: integer({
    says: 'Turns that can run at the same time',
    most: LIMITS.concurrentRuns,
    without: 'no limit',
  }),
  backgroundRuns: integer({
    says: 'Background turns that can run at the same time',
    note: 'Others wait in order.',
    most: LIMITS.concurrentRuns,
    without: formatCount(LIMITS.defaultBackgroundRuns),
  }),
  fileMegabytes: integer({
    says: 'MiB of all uploaded files together',
    most: LIMITS.fileMegabytes,
    without: formatCount(LIMITS.defaultFileMegabytes),
  }),
};

export const SET_ENVIRONMENT_LIMITS = input(
  'SetEnvironmentLimitsInput',
  'Changes to the limits. Omitted limits stay as they are. Null restores the default.',
  ENVIRONMENT_LIMITS,
);

export const SET_RETENTION = input('SetRetentionInput', 'The retention period of the environment.', {
  days: integer({ says: 'Days', most: LIMITS.retentionDays, form: 'Null: conversations are never deleted.' }),
  traceDays: integer({
    says: 'Days for which traces of turns are kept',
    note: '0: the service writes no traces. Omit it to keep the current value.',
    least: 0,
    most: LIMITS.traceDays,
  }),
});

const price = (tokens: string, without?: string) =>
  number({
    ...{ says: `Price per 1M ${tokens}`, least: 0, most: LIMITS.pricePerMillion },
    ...(without !== undefined && { without }),
  });

const cachePrice = (tokens: string) => price(tokens, 'the price of input tokens');

export const SET_MODEL_PRICE = input('SetModelPriceInput', 'The price of a model.', {
  model: required(
    text({ says: 'The model: demo, or provider:name. {bounds}', least: 1, most: LIMITS.priceModelLength }),
  ),
  inputPerMillion: required(price('input tokens')),
  cachedInputPerMillion: cachePrice('input tokens that the provider reads from its cache'),
  cacheWritePerMillion: cachePrice('input tokens that the provider writes to its cache'),
  outputPerMillion: required(price('output tokens')),
});

const { budgetTokens, endUserLength, timeZoneLength } = LIMITS;

/** Up to nine digits, and up to six decimal places of which one is not 0. Without a lookahead, so that tools can read it. */
const AMOUNT =
  /^([1-9]\d{0,8}(\.\d{1,6})?|0\.(\d{0,5}[1-9]|\d{0,4}[1-9]0|\d{0,3}[1-9]00|\d{0,2}[1-9]000|\d?[1-9]0000|[1-9]00000))$/;

const amountRule =
  'must be a text with a decimal number above 0 and below 1,000,000,000, with at most 6 decimal places';

const SHARE = { minimum: 0.001, maximum: 1 };

const shareRule = 'must be a number from 0.001 to 1, or null';

const warnAt = number({
  says: 'The share of the budget at which it warns',
  note: 'It has three decimal places.',
  least: SHARE.minimum,
  form: 'Default: null, which does not warn.',
  most: 1,
  bounds: SHARE,
});

/** The settings of a budget. Each budget has an amount or tokens. */
export const BUDGET_SETTINGS = {
  period: required(
    choice(
      { says: 'How often the budget begins again', note: 'Days and months have the time zone of the environment.' },
      BUDGET_PERIODS,
    ),
  ),
  amount: textOf(z.string(amountRule).check(z.regex(AMOUNT, amountRule)), {
    says: 'The amount in the currency of the workspace, as a decimal number below 1,000,000,000 with at most 6 decimal places',
    form: 'Default: null, which needs `tokens`.',
    bounds: { pattern: AMOUNT.source },
  }),
  tokens: {
    ...integer({
      says: 'The number of input and output tokens',
      form: 'Default: null, which needs `amount`.',
      most: budgetTokens,
    }),
    scalar: 'SafeInt',
  },
  warnAt: {
    ...warnAt,
    rule: z.nullish(
      z.number(shareRule).check(z.minimum(SHARE.minimum, shareRule), z.maximum(SHARE.maximum, shareRule)),
    ),
  },
  onReached: choice('What happens when the budget is used up', BUDGET_REACHED_POLICIES, 'refuse'),
} as const;

/** The deadline of the question whether to raise a budget. Default budgets have that of all others. */
export const RAISE_DEADLINE = {
  expiresAfterSeconds: integer({
    says: 'With PAUSE: seconds after which the question whether to raise the budget expires',
    most: LIMITS.expirySeconds,
    without: `${LIMITS.raiseDays} days`,
  }),
  onExpiry: object(EXPIRY, {
    says: 'With PAUSE: what happens then',
    note: 'Default: DENY, so the turn ends. An output is like `{"approved": true, "amount": "5"}`.',
  }),
} as const;

export const SET_BUDGET = input(
  'SetBudgetInput',
  'A budget. It applies to one place, or to the environment if the input names no place.',
  {
    deploymentId: id('Deployment', 'A deployment of the workspace'),
    conversationId: id('Conversation', 'A conversation of the environment'),
    runId: id('Run', { says: 'A run that has not ended', note: 'Its period is TOTAL.' }),
    endUser: text({
      says: 'Your own ID of an end user',
      note: 'With `deploymentId`, only their turns there count.',
      most: endUserLength,
    }),
    visitors: flag(
      {
        says: 'Whether the budget applies to all callers without an identity together',
        note: 'It needs `deploymentId`.',
      },
      false,
    ),
    ...BUDGET_SETTINGS,
    ...RAISE_DEADLINE,
  },
);

const budgetId = required(id('Budget', 'The ID of the budget', 'ID'));

export const REMOVE_BUDGET = input('RemoveBudgetInput', 'The budget to remove.', { budgetId });

export const BUDGET_FILTER = input('BudgetFilter', 'Filters budgets. All conditions must match.', {
  place: choice('Only budgets of this kind of place', BUDGET_PLACES),
  deploymentId: id('Deployment', 'Only budgets of this deployment'),
  conversationId: id('Conversation', 'Only budgets of this conversation'),
  runId: id('Run', 'Only budgets of this run'),
  // OpenAPI states no bounds for filters.
  endUser: text({ says: 'Only budgets of this end user', most: endUserLength, bounds: {} }),
});

export const SET_TIME_ZONE = input('SetTimeZoneInput', 'The time zone of the environment.', {
  timeZone: required(
    text({ says: 'A name of the IANA time zone database, for example Europe/Berlin. {bounds}', most: timeZoneLength }),
  ),
});

/** A budget that each place of its kind gets: each run, each conversation, each end user, or all visitors of a deployment. */
export type DefaultBudget = {
  /** Undefined: a run, whose period is `total`. */
  readonly period?: BudgetPeriod;
  /** Either this or `tokens`. */
  readonly amount?: string;
  readonly tokens?: number;
  readonly warnAt?: number;
  readonly onReached: BudgetReachedPolicy;
};

const { period: _, ...OF_RUN } = BUDGET_SETTINGS;

const RUN_BUDGET = input('RunBudgetInput', 'A budget of each run. It has an amount or tokens.', OF_RUN);

const DEFAULT_BUDGET = input(
  'DefaultBudgetInput',
  'A budget of each place of a kind. It has an amount or tokens.',
  BUDGET_SETTINGS,
);

/** A default budget. It is stored without null values. */
function defaultBudget(of: Input<Shape>, meaning: Meaning) {
  const one = z.object(rulesOf(of.fields)).check(
    z.superRefine((value, context) => {
      const { amount, tokens } = value as { readonly amount?: unknown; readonly tokens?: unknown };
      if ((amount == null) !== (tokens == null)) return;
      context.addIssue({ code: 'custom', path: ['amount'], message: 'or tokens must be set, and not both' });
    }),
  );
  const rule = z.pipe(
    one,
    z.transform((value): DefaultBudget => {
      const present = Object.fromEntries(Object.entries(value).filter(([, one]) => one != null));
      return { ...present, onReached: (present.onReached ?? 'refuse') as BudgetReachedPolicy };
    }),
  );
  return {
    kind: 'object',
    bounds: {},
    without: 'no budget',
    ...meaning,
    input: of,
    byDefault: null as DefaultBudget | null,
    rule: z.nullish(rule as unknown as z.ZodMiniType<DefaultBudget, DefaultBudget>),
  } as const;
}

export const RUN_DEFAULTS = {
  runBudget: defaultBudget(RUN_BUDGET, { title: 'Budget of a run', says: 'The budget of each turn and one-shot run' }),
  conversationBudget: defaultBudget(DEFAULT_BUDGET, {
    title: 'Budget of a conversation',
    says: 'The budget of each conversation',
  }),
};

export const CALLER_DEFAULTS = {
  endUserBudget: defaultBudget(DEFAULT_BUDGET, {
    title: 'Budget of an end user',
    says: 'The budget of each end user at the deployment',
  }),
  visitorBudget: defaultBudget(DEFAULT_BUDGET, {
    title: 'Budget of all visitors',
    says: 'The budget of all callers without an identity at the deployment, together',
  }),
};
