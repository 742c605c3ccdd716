import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { ApiKey } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Audited, audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { nameText, parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { credentialTopic } from './caller-ends.ts';
import { markEffect } from './idempotency.ts';
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

/** A key and its secret, which is shown this once. */
export interface ShownKey {
  readonly apiKey: ApiKey;
  readonly secret: string;
}

/** A key as an idempotency key remembers it. */
type MadeKey = Readonly<Record<'apiKeyId', string>>;

/**
 * Makes a key of the caller's environment. Nobody gives away more than they have.
 * @throws {ServiceError} invalid_request, forbidden
 */
export async function createApiKey(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownKey> {
  const made = ctx.request.claim?.effect as MadeKey | null | undefined;
  // Nobody has seen the secret that it was made with.
  if (made) return rotateApiKey(ctx, made.apiKeyId);
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
      audited(ctx, {
        action: 'api_key.created',
        subjectId: id,
        details: { name, scopes, requests_per_minute: requestsPerMinute },
        at,
      }),
    );
    await markEffect(tx, ctx.request.claim, { apiKeyId: id } satisfies MadeKey);
    return tx.apiKey.create({ data });
  });
  return { apiKey, secret };
}

/**
 * Changes what is given of a key's name and limit, on every process from its next request on; null takes the limit off.
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

/** Gives a key a new secret; the old one is 401 from now on. @throws {ServiceError} not_found */
export async function rotateApiKey(ctx: Context, id: string): Promise<ShownKey> {
  const secret = newApiKey(ctx.environment.kind);
  const at = ctx.now();
  const data = { tokenHash: hashToken(secret), lastFour: secret.slice(-4), rotatedAt: at };
  return { apiKey: await changeKey(ctx, id, data, { action: 'api_key.rotated', subjectId: id, at }), secret };
}

/** Ends a key for ever. @throws {ServiceError} not_found */
export async function revokeApiKey(ctx: Context, id: string): Promise<ApiKey> {
  const at = ctx.now();
  return changeKey(ctx, id, { revokedAt: at }, { action: 'api_key.revoked', subjectId: id, at });
}

async function changeKey(ctx: Context, id: string, data: Partial<ApiKey>, entry: Audited): Promise<ApiKey> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.apiKey.updateMany({ where: { id, revokedAt: null }, data });
    if (count === 0) throw keyNotFound();
    await tx.$executeRaw(audited(ctx, entry));
    return tx.apiKey.findUniqueOrThrow({ where: { id } });
  });
  ctx.services.live.publish(credentialTopic(id));
  return changed;
}

/** Those of these keys that are there. */
export async function findApiKeys(ctx: Context, ids: readonly string[]): Promise<ApiKey[]> {
  return ctx.db.apiKey.findMany({ where: { id: { in: [...ids] } } });
}

/** Keys of the environment, those that were revoked included. */
export function listApiKeys(ctx: Context, args: PageArgs): Promise<KeysetPage<ApiKey>> {
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id] };
  return keysetPage(KEYS, args, binding, {
    find: ({ where, orderBy, take }) => ctx.db.apiKey.findMany({ where, orderBy, take }),
    count: () => ctx.db.apiKey.count(),
  });
}

function keyNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no key with this id here that is in use. Check {param}.', {
    param: ['id'],
  });
}

/** What is shown of a key after it was made: its prefix and its last four characters. */
export function maskedKey({ lastFour }: Pick<ApiKey, 'lastFour'>, kind: string): string {
  return `sk_${kind}_…${lastFour}`;
}

/** The scopes of a stored key: this service writes no others. */
export function scopesOf({ scopes }: Pick<ApiKey, 'scopes'>): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
