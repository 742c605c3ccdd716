import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { BOUND_SCOPES, type Scope } from '../../../contract/scopes.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { API_KEY_SETTINGS, CREATE_API_KEY, ROTATE_API_KEY } from '../../../shapes/api-keys.ts';
import { rulesOf } from '../../../shapes/field.ts';
import type { Context } from '../../context.ts';
import { unknownDeployment } from '../bound-deployments.ts';
import { normalizedRange } from './ip-ranges.ts';

const RANGE_RULE = 'must be an IP address, or a range in CIDR notation such as 192.0.2.0/24 or 2001:db8::/32';

const storedRanges = z.pipe(
  API_KEY_SETTINGS.allowedIpRanges.rule,
  z.transform((texts, { issues }) => {
    if (!texts) return texts;
    const ranges = texts.flatMap((text, index) => {
      const range = normalizedRange(text);
      if (range === undefined) issues.push({ code: 'custom', input: text, message: RANGE_RULE, path: [index] });
      return range ?? [];
    });
    return [...new Set(ranges)];
  }),
);

const settings = { ...rulesOf(API_KEY_SETTINGS), allowedIpRanges: storedRanges };

const { name, scopes } = CREATE_API_KEY.fields;

export const keyInput = z.object({ name: name.rule, scopes: scopes.rule, ...settings });

export const keyChange = z.object({ name: z.optional(name.rule), ...settings });

export const rotationInput = z.object(rulesOf({ overlapHours: ROTATE_API_KEY.fields.overlapHours }));

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
 * Checks settings that depend on the time and the scopes of the key.
 * @throws {ServiceError} invalid_request
 */
export async function requireValidSettings(
  ctx: Context,
  { expiresAt, deploymentIds }: KeyChange,
  scopes: () => Promise<readonly string[]>,
): Promise<void> {
  if (expiresAt && expiresAt <= ctx.now()) throw invalid('{param} must be in the future.', 'expiresAt');
  if (!deploymentIds) return;
  requireBoundScopes(await scopes());
}

/**
 * Locks the deployments of a key until the end of the transaction, so that nobody deletes one meanwhile.
 * @throws {ServiceError} invalid_request
 */
export async function holdDeployments(ctx: Context, tx: Transaction, { deploymentIds }: KeyChange): Promise<void> {
  const unknown = await unknownDeployment(ctx, tx, deploymentIds ?? []);
  if (unknown < 0) return;
  throw invalid('{param} must be the ID of a deployment of this workspace.', 'deploymentIds', unknown);
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
