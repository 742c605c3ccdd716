import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { UUID_PATTERN } from '../../../contract/ids.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import type { Context } from '../../context.ts';
import { nameText } from '../../input.ts';
import { ratePerMinute } from '../rate-limits.ts';
import { BOUND_SCOPES } from '../reach.ts';
import { normalizedRange } from './ip-ranges.ts';

const RANGE_RULE = 'must be an IP address, or a range in CIDR notation such as 192.0.2.0/24 or 2001:db8::/32';

const ipRange = z.string().transform((text, context) => {
  const range = normalizedRange(text);
  if (range !== undefined) return range;
  context.addIssue({ code: 'custom', message: RANGE_RULE });
  return z.NEVER;
});

/** A list that restricts a key. Null removes the restriction. An empty list would look like it, so it is rejected. */
function restriction<Item extends z.ZodType<string>>(item: Item, most: number) {
  return z
    .array(item)
    .min(1, 'must not be empty. Null removes the restriction')
    .max(most, `must have at most ${most} items`)
    .transform((items) => [...new Set(items)])
    .nullish();
}

const settings = {
  requestsPerMinute: ratePerMinute,
  expiresAt: z.date().nullish(),
  allowedIpRanges: restriction(ipRange, LIMITS.keyIpRanges),
  deploymentIds: restriction(z.string().regex(UUID_PATTERN, 'must be a UUID'), LIMITS.keyDeployments),
};

export const keyInput = z.object({
  name: nameText,
  ...settings,
  scopes: z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`))
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must name each scope once'),
});

export const keyChange = z.object({ name: nameText.optional(), ...settings });

const OVERLAP_RULE = `must be a whole number from 0 to ${LIMITS.rotationOverlapHours}`;

export const rotationInput = z.object({
  overlapHours: z.int(OVERLAP_RULE).min(0, OVERLAP_RULE).max(LIMITS.rotationOverlapHours, OVERLAP_RULE).default(0),
});

type KeyChange = z.output<typeof keyChange>;

/** The columns of the settings that the input contains. */
export function columnsOf({ name, requestsPerMinute, expiresAt, allowedIpRanges, deploymentIds }: KeyChange) {
  return {
    ...(name !== undefined && { name }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(allowedIpRanges !== undefined && { allowedIpRanges: allowedIpRanges ?? [] }),
    ...(deploymentIds !== undefined && { deploymentIds: deploymentIds ?? [] }),
  };
}

/** The settings that the input contains, for the audit log. */
export function detailsOf({ name, requestsPerMinute, expiresAt, allowedIpRanges, deploymentIds }: KeyChange) {
  return {
    ...(name !== undefined && { name }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: requestsPerMinute }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(allowedIpRanges !== undefined && { allowed_ip_ranges: allowedIpRanges }),
    ...(deploymentIds !== undefined && { deployment_ids: deploymentIds }),
  };
}

/**
 * Checks settings that depend on the time, the workspace and the scopes of the key.
 * @throws {ServiceError} invalid_request
 */
export async function requireValidSettings(
  ctx: Context,
  { expiresAt, deploymentIds }: KeyChange,
  scopes: () => Promise<readonly string[]>,
): Promise<void> {
  if (expiresAt && expiresAt <= ctx.now()) throw invalid('{param} must be in the future.', 'expiresAt');
  if (!deploymentIds) return;
  const found = await ctx.db.deployment.findMany({ where: { id: { in: deploymentIds } }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  const unknown = deploymentIds.findIndex((id) => !known.has(id));
  if (unknown >= 0) {
    throw invalid('{param} must be the ID of a deployment of this workspace.', 'deploymentIds', unknown);
  }
  requireBoundScopes(await scopes());
}

/** A key that is bound to deployments cannot have scopes for data without a deployment. */
function requireBoundScopes(scopes: readonly string[]): void {
  const excess = scopes.find((scope) => !BOUND_SCOPES.includes(scope as Scope));
  if (excess === undefined) return;
  throw invalid(
    `{param} can only be set for a key with no other scopes than ${BOUND_SCOPES.join(', ')}. This key has ${excess}.`,
    'deploymentIds',
  );
}

function invalid(message: string, ...param: readonly (string | number)[]): ServiceError {
  return new ServiceError('invalid_request', message, { param });
}
