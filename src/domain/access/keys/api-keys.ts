import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import type { ApiKey } from '../../../db/generated/client.ts';
import { newestFirst } from '../../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../../db/keyset-page.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { credentialTopic } from '../caller-ends.ts';
import { recordEffect } from '../claimed-effect.ts';
import { notifyKey } from '../mail/notify-key.ts';
import { requireScope } from '../scopes.ts';
import { hashToken, newApiKey } from '../tokens.ts';
import {
  columnsOf,
  detailsOf,
  holdDeployments,
  keyChange,
  keyInput,
  requireValidSettings,
  rotationInput,
} from './api-key-input.ts';

/** Keys by creation, newest first. */
const KEYS = newestFirst<ApiKey>('api_keys', 'createdAt');

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
  const { scopes, ...settings } = parseInput(keyInput, input);
  for (const scope of scopes) requireScope(ctx.caller, scope);
  await requireValidSettings(ctx, settings, async () => scopes);
  const secret = newApiKey(ctx.environment.kind);
  const at = ctx.now();
  const id = newTypeId('key');
  const data = {
    id,
    environmentId: ctx.environment.id,
    tokenHash: hashToken(secret),
    lastFour: secret.slice(-4),
    scopes,
    createdAt: at,
    ...columnsOf(settings),
    name: settings.name,
  };
  const details = { scopes, requests_per_minute: null, ...detailsOf(settings) };
  const apiKey = await inTransaction(ctx.db, async (tx) => {
    await holdDeployments(ctx, tx, settings);
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'api_key.created', subjectId: id, details, at }));
    await recordEffect(tx, ctx.request.claim, { apiKeyId: id } satisfies CreatedKey);
    await notifyKey(ctx, tx, 'key_created', data.name);
    return tx.apiKey.create({ data });
  });
  return { apiKey, secret };
}

/**
 * Changes the settings of a key. Null removes a limit or restriction. All processes apply it from the next request. If the
 * IP ranges or the deployments change, open streams of the key end.
 * @throws {ServiceError} invalid_request, not_found; forbidden if the key has a scope that the caller lacks
 */
export async function updateApiKey(
  ctx: Context,
  id: string,
  input: Readonly<Record<string, unknown>>,
): Promise<ApiKey> {
  const changes = parseInput(keyChange, input);
  await requireValidSettings(ctx, changes, async () => (await activeKey(ctx, id)).scopes);
  const entry = { action: 'api_key.updated', subjectId: id, details: detailsOf(changes), at: ctx.now() } as const;
  return changeKey(ctx, id, entry, async (key, tx) => {
    requireScopesOf(ctx, key);
    await holdDeployments(ctx, tx, changes);
    return columnsOf(changes);
  });
}

/** The effect of a rotation that is stored with an idempotency key. */
type Rotation = Readonly<Record<'rotatedApiKeyId', string>>;

const HOUR_MS = 3_600_000;

/**
 * Replaces the secret of a key. The old secret works for `overlapHours` longer, by default not at all. A secret from before
 * the old one stops working at once.
 * @throws {ServiceError} invalid_request, not_found; forbidden if the key has a scope that the caller lacks
 */
export async function rotateApiKey(
  ctx: Context,
  id: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<ShownKey> {
  const overlapHours = parseInput(rotationInput, input).overlapHours ?? 0;
  const secret = newApiKey(ctx.environment.kind);
  const at = ctx.now();
  const until = new Date(at.getTime() + overlapHours * HOUR_MS);
  // An earlier request rotated the key, but its response was lost. Nobody has its secret, so the one before stays.
  const { rotatedApiKeyId } = (ctx.request.claim?.effect ?? {}) as Partial<Rotation>;
  const previous = ({ tokenHash }: ApiKey) =>
    overlapHours > 0
      ? { previousTokenHash: tokenHash, previousExpiresAt: until }
      : { previousTokenHash: null, previousExpiresAt: null };
  const details = { overlap_hours: overlapHours };
  const apiKey = await changeKey(ctx, id, { action: 'api_key.rotated', subjectId: id, details, at }, (key) => {
    requireScopesOf(ctx, key);
    return {
      tokenHash: hashToken(secret),
      lastFour: secret.slice(-4),
      rotatedAt: at,
      ...(rotatedApiKeyId !== id && previous(key)),
    };
  });
  return { apiKey, secret };
}

/** Revokes a key permanently, with the secret before the latest rotation. @throws {ServiceError} not_found */
export async function revokeApiKey(ctx: Context, id: string): Promise<ApiKey> {
  const at = ctx.now();
  return changeKey(ctx, id, { action: 'api_key.revoked', subjectId: id, at }, () => ({ revokedAt: at }));
}

/** With its new secret, or without its limits, the key would give the caller more permissions than they have. */
function requireScopesOf({ caller }: Context, key: ApiKey): void {
  for (const scope of scopesOf(key)) requireScope(caller, scope);
}

/** Changes a key under its row lock, so that `changes` can depend on its state. */
async function changeKey(
  ctx: Context,
  id: string,
  entry: AuditInput,
  changes: (key: ApiKey, tx: Transaction) => Partial<ApiKey> | Promise<Partial<ApiKey>>,
): Promise<ApiKey> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw`SELECT FROM api_key WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid FOR UPDATE`;
    const key = await tx.apiKey.findFirst({ where: { id, revokedAt: null } });
    if (!key) throw keyNotFound();
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    if (entry.action === 'api_key.rotated' && !ctx.request.claim?.effect) {
      await recordEffect(tx, ctx.request.claim, { rotatedApiKeyId: id } satisfies Rotation);
    }
    if (entry.action === 'api_key.rotated') await notifyKey(ctx, tx, 'key_rotated', key.name);
    return tx.apiKey.update({ where: { id }, data: await changes(key, tx) });
  });
  ctx.services.stores.pubSub.publish(credentialTopic(id));
  return changed;
}

/** @throws {ServiceError} not_found */
async function activeKey(ctx: Context, id: string): Promise<ApiKey> {
  const key = await ctx.db.apiKey.findFirst({ where: { id, revokedAt: null } });
  if (!key) throw keyNotFound();
  return key;
}

/** Finds the keys with these IDs. Unknown IDs are ignored. */
export async function findApiKeys(ctx: Context, ids: readonly string[]): Promise<ApiKey[]> {
  return ctx.db.apiKey.findMany({ where: { id: { in: [...ids] } } });
}

/** The keys of the environment, including revoked keys. */
export function listApiKeys(ctx: Context, args: PageArgs): Promise<KeysetPage<ApiKey>> {
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id] };
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

const DAY_MS = 24 * HOUR_MS;

/** Whether an active key has had no use for so long that it may no longer be needed. */
export function isUnused({ revokedAt, expiresAt, lastUsedAt, createdAt }: ApiKey, now: Date): boolean {
  if (revokedAt || (expiresAt && expiresAt <= now)) return false;
  return now.getTime() - (lastUsedAt ?? createdAt).getTime() >= LIMITS.unusedKeyDays * DAY_MS;
}

/** The prefix and the last four characters of a key, for display. */
export function maskedKey({ lastFour }: Pick<ApiKey, 'lastFour'>, kind: string): string {
  return `sk_${kind}_…${lastFour}`;
}

/** The scopes of a stored key. */
export function scopesOf({ scopes }: Pick<ApiKey, 'scopes'>): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
