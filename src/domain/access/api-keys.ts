import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { ApiKey } from '../../db/generated/client.ts';
import { newestFirst } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { nameText, parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { credentialTopic } from './caller-ends.ts';
import { recordEffect } from './idempotency.ts';
import { ratePerMinute } from './rate-limits.ts';
import { requireScope } from './scopes.ts';
import { hashToken, newApiKey } from './tokens.ts';

/** Keys by creation, newest first. */
const KEYS = newestFirst<ApiKey>('api_keys', 'createdAt');

const keyInput = z.object({
  name: nameText,
  requestsPerMinute: ratePerMinute,
  scopes: z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`))
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must name each scope once'),
});

const keyChange = z.object({ name: nameText.optional(), requestsPerMinute: ratePerMinute });

/** A key with its secret, which is shown only once. */
export interface ShownKey {
  readonly apiKey: ApiKey;
  readonly secret: string;
}

/** The effect that is stored with an idempotency key. */
type CreatedKey = Readonly<Record<'apiKeyId', string>>;

/**
 * Creates a key in the caller's environment. A caller can grant only their own scopes.
 * @throws {ServiceError} invalid_request, forbidden
 */
export async function createApiKey(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownKey> {
  const created = ctx.request.claim?.effect as CreatedKey | null | undefined;
  // An earlier request created the key, but its response with the secret was lost.
  if (created) return rotateApiKey(ctx, created.apiKeyId);
  const { name, scopes, requestsPerMinute = null } = parseInput(keyInput, input);
  for (const scope of scopes) requireScope(ctx.caller, scope);
  const secret = newApiKey(ctx.environment.kind);
  const at = ctx.now();
  const id = newTypeId('key');
  const data = {
    id,
    environmentId: ctx.environment.id,
    name,
    tokenHash: hashToken(secret),
    lastFour: secret.slice(-4),
    scopes,
    requestsPerMinute,
    createdAt: at,
  };
  const apiKey = await inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw(
      insertAuditEntry(ctx, {
        action: 'api_key.created',
        subjectId: id,
        details: { name, scopes, requests_per_minute: requestsPerMinute },
        at,
      }),
    );
    await recordEffect(tx, ctx.request.claim, { apiKeyId: id } satisfies CreatedKey);
    return tx.apiKey.create({ data });
  });
  return { apiKey, secret };
}

/**
 * Changes the name or the rate limit of a key. Null removes the limit. All processes apply it from the next request.
 * @throws {ServiceError} invalid_request, not_found
 */
export async function updateApiKey(
  ctx: Context,
  id: string,
  input: Readonly<Record<string, unknown>>,
): Promise<ApiKey> {
  const { name, requestsPerMinute } = parseInput(keyChange, input);
  const data = { ...(name !== undefined && { name }), ...(requestsPerMinute !== undefined && { requestsPerMinute }) };
  const details = {
    ...(name !== undefined && { name }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: requestsPerMinute }),
  };
  return changeKey(ctx, id, data, { action: 'api_key.updated', subjectId: id, details, at: ctx.now() });
}

/** Replaces the secret of a key. Requests with the old secret get 401 at once. @throws {ServiceError} not_found */
export async function rotateApiKey(ctx: Context, id: string): Promise<ShownKey> {
  const secret = newApiKey(ctx.environment.kind);
  const at = ctx.now();
  const data = { tokenHash: hashToken(secret), lastFour: secret.slice(-4), rotatedAt: at };
  return { apiKey: await changeKey(ctx, id, data, { action: 'api_key.rotated', subjectId: id, at }), secret };
}

/** Revokes a key permanently. @throws {ServiceError} not_found */
export async function revokeApiKey(ctx: Context, id: string): Promise<ApiKey> {
  const at = ctx.now();
  return changeKey(ctx, id, { revokedAt: at }, { action: 'api_key.revoked', subjectId: id, at });
}

async function changeKey(ctx: Context, id: string, data: Partial<ApiKey>, entry: AuditInput): Promise<ApiKey> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.apiKey.updateMany({ where: { id, revokedAt: null }, data });
    if (count === 0) throw keyNotFound();
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    return tx.apiKey.findUniqueOrThrow({ where: { id } });
  });
  ctx.services.pubSub.publish(credentialTopic(id));
  return changed;
}

/** Finds the keys with these IDs. Unknown IDs are ignored. */
export async function findApiKeys(ctx: Context, ids: readonly string[]): Promise<ApiKey[]> {
  return ctx.db.apiKey.findMany({ where: { id: { in: [...ids] } } });
}

/** The keys of the environment, including revoked keys. */
export function listApiKeys(ctx: Context, args: PageArgs): Promise<KeysetPage<ApiKey>> {
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id] };
  return keysetPage(KEYS, args, binding, {
    find: ({ where, orderBy, take }) => ctx.db.apiKey.findMany({ where, orderBy, take }),
    count: () => ctx.db.apiKey.count(),
  });
}

function keyNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no active key with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}

/** The prefix and the last four characters of a key, for display. */
export function maskedKey({ lastFour }: Pick<ApiKey, 'lastFour'>, kind: string): string {
  return `sk_${kind}_…${lastFour}`;
}

/** The scopes of a stored key. */
export function scopesOf({ scopes }: Pick<ApiKey, 'scopes'>): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
