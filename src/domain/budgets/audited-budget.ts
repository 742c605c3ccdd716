import type { Budget } from '../../db/generated/client.ts';
import { endUserDigest } from '../access/end-user-digest.ts';
import type { Context } from '../context.ts';
import { placeKindOf } from './budget-input.ts';

/** A budget in the audit log, which nobody can change. It has a digest of the end user's ID. */
export function auditedBudget({ services, environment }: Context, budget: Budget): Readonly<Record<string, unknown>> {
  const { deploymentId, conversationId, runId, endUser, period, unit, amount, warnAt, onReached } = budget;
  const { expiresAfterSeconds, onExpiry } = budget;
  return {
    place: placeKindOf(budget),
    ...(deploymentId !== null && { deployment_id: deploymentId }),
    ...(conversationId !== null && { conversation_id: conversationId }),
    ...(runId !== null && { run_id: runId }),
    ...(endUser !== null && { end_user: endUserDigest(services, environment, endUser) }),
    period,
    ...(unit === 'money' ? { amount: amount.toFixed() } : { tokens: amount.toNumber() }),
    warn_at: warnAt?.toNumber() ?? null,
    on_reached: onReached,
    ...(expiresAfterSeconds !== null && { expires_after_seconds: expiresAfterSeconds }),
    ...(onExpiry !== null && { on_expiry: onExpiry }),
  };
}
