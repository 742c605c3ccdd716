import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { BudgetPeriod, BudgetPlace, BudgetReachedPolicy, BudgetUnit } from '../../contract/statuses.ts';
import { BUDGET_SETTINGS, SET_BUDGET } from '../../shapes/environment.ts';
import { rulesOf } from '../../shapes/field.ts';
import { parseInput } from '../input.ts';
import { deadlineFields } from '../workflows/deadline-input.ts';
import {
  conversationPlace,
  deploymentPlace,
  endUserAtPlace,
  endUserPlace,
  environmentPlace,
  runPlace,
  visitorsPlace,
} from './places.ts';

const budgetInput = z.object({ ...rulesOf(SET_BUDGET.fields), onExpiry: deadlineFields.onExpiry });

export type BudgetInput = z.input<typeof budgetInput>;

/** What a budget applies to. */
export interface Place {
  readonly kind: BudgetPlace;
  /** Unique in the environment. */
  readonly text: string;
  readonly deploymentId: string | null;
  readonly conversationId: string | null;
  readonly runId: string | null;
  readonly endUser: string | null;
}

/** A valid budget. */
export interface NewBudget {
  readonly place: Place;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  /** A decimal number. */
  readonly amount: string;
  readonly warnAt: number | null;
  readonly onReached: BudgetReachedPolicy;
  /** The deadline of the question whether to raise it. Null: the default. */
  readonly expiresAfterSeconds: number | null;
  readonly onExpiry: object | null;
}

/** @throws {ServiceError} invalid_request */
export function parseBudget(input: BudgetInput): NewBudget {
  const { period, amount, tokens, warnAt, onReached, expiresAfterSeconds, onExpiry, ...places } = parseInput(
    budgetInput,
    input,
  );
  const place = placeIn(places);
  if (place.kind === 'run' && period !== 'total') {
    const message = '{param} of a budget of a run must be TOTAL: a run does not begin again.';
    throw new ServiceError('invalid_request', message, { param: ['period'] });
  }
  if ((amount == null) === (tokens == null)) {
    const message = 'A budget needs either amount or tokens. Send one of them.';
    throw new ServiceError('invalid_request', message, { param: ['amount'] });
  }
  const limit =
    amount == null ? ({ unit: 'tokens', amount: String(tokens) } as const) : ({ unit: 'money', amount } as const);
  const policy = onReached ?? 'refuse';
  const deadline = deadlineOf(policy, { expiresAfterSeconds, onExpiry });
  if (onExpiry?.output) requireAnswer(onExpiry.output, amount == null ? 'tokens' : 'amount');
  return { place, period, ...limit, warnAt: warnAt ?? null, onReached: policy, ...deadline };
}

/** @throws {ServiceError} invalid_request */
function deadlineOf(
  onReached: BudgetReachedPolicy,
  {
    expiresAfterSeconds = null,
    onExpiry = null,
  }: Pick<z.output<typeof budgetInput>, 'expiresAfterSeconds' | 'onExpiry'>,
): Pick<NewBudget, 'expiresAfterSeconds' | 'onExpiry'> {
  const [useless] = Object.entries({ expiresAfterSeconds, onExpiry }).filter(([, value]) => value !== null);
  if (onReached === 'pause' || !useless) return { expiresAfterSeconds, onExpiry };
  const message = '{param} is only for budgets that pause when they are used up. Leave it out.';
  throw new ServiceError('invalid_request', message, { param: [useless[0]] });
}

/** The answer to the question whether to raise a budget, without its reason. */
export const raiseAnswer = z.object({
  approved: z.boolean('must be true or false'),
  amount: BUDGET_SETTINGS.amount.rule,
  tokens: BUDGET_SETTINGS.tokens.rule,
});

/**
 * Without an amount, the service would ask and answer again and again.
 * @throws {ServiceError} invalid_request
 */
function requireAnswer(output: object, unit: 'amount' | 'tokens'): void {
  const at = ['onExpiry', 'output'];
  const rule = z.object({ onExpiry: z.object({ output: raiseAnswer }) });
  const { approved, ...sent } = parseInput(rule, { onExpiry: { output } }).onExpiry.output;
  for (const field of ['amount', 'tokens'] as const) {
    const isNeeded = approved && field === unit;
    if (isNeeded === (sent[field] != null)) continue;
    const message = isNeeded
      ? '{param} is required with approved: true. It is what the budget is raised by.'
      : '{param} does not fit. With approved: true, send the unit of the budget. With approved: false, leave it out.';
    throw new ServiceError('invalid_request', message, { param: [...at, field] });
  }
}

interface Places {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly runId?: string | null | undefined;
  readonly endUser?: string | null | undefined;
  readonly visitors?: boolean | null | undefined;
}

/** A deployment can be the place, or a part of another one. */
function placeIn({
  deploymentId = null,
  conversationId = null,
  runId = null,
  endUser = null,
  visitors,
}: Places): Place {
  const ofDeployment = { ...(endUser !== null && { endUser }), ...(visitors && { visitors }) };
  const others = { ...(conversationId !== null && { conversationId }), ...(runId !== null && { runId }) };
  requireOnePlace(Object.keys({ ...others, ...ofDeployment }));
  requireOnePlace(Object.keys({ ...others, ...(deploymentId !== null && { deploymentId }) }));
  const ids = { deploymentId, conversationId, runId, endUser };
  if (conversationId !== null) return { kind: 'conversation', text: conversationPlace(conversationId), ...ids };
  if (runId !== null) return { kind: 'run', text: runPlace(runId), ...ids };
  if (endUser !== null) {
    const text = deploymentId === null ? endUserPlace(endUser) : endUserAtPlace(deploymentId, endUser);
    return { kind: 'end_user', text, ...ids };
  }
  if (visitors && deploymentId === null) {
    const message = 'A budget of visitors needs {param}: the deployment that they use.';
    throw new ServiceError('invalid_request', message, { param: ['deploymentId'] });
  }
  if (deploymentId === null) return { kind: 'environment', text: environmentPlace, ...ids };
  return visitors
    ? { kind: 'visitors', text: visitorsPlace(deploymentId), ...ids }
    : { kind: 'deployment', text: deploymentPlace(deploymentId), ...ids };
}

/** @throws {ServiceError} invalid_request */
function requireOnePlace([, second]: readonly string[]): void {
  if (second === undefined) return;
  const message =
    '{param} is a second place. Set a budget for each place. Only `deploymentId` can accompany `endUser` or `visitors`.';
  throw new ServiceError('invalid_request', message, { param: [second] });
}

/** The kind of the place of a stored budget. */
export function placeKindOf({ place }: { readonly place: string }): BudgetPlace {
  const [kind] = place.split(/[@:]/, 1);
  return kind as BudgetPlace;
}
