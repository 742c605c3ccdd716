import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import type { PrismaClient } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { PublicContext, SomeServices } from '../../context.ts';
import { isRegisteredApp, newRegisteredAppId } from '../tokens.ts';
import { appName } from './app-name.ts';
import type { RegisteredApp } from './authorization-port.ts';
import { readRedirectUris } from './redirect-uris.ts';

/**
 * Stores an app that registers itself. Members of the metadata that the service does not use are ignored.
 * @throws {ServiceError} invalid_request, with `redirect_uris` as the parameter if it is not valid; unavailable if the
 * service has too many registered apps
 */
export async function registerApp(
  { stores: { sql } }: SomeServices<'sql'>,
  metadata: unknown,
): Promise<RegisteredApp & { readonly createdAt: Date }> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw new ServiceError('invalid_request', 'The body must be a JSON object with redirect_uris.');
  }
  const { redirect_uris: uris, client_name: clientName } = metadata as Readonly<Record<string, unknown>>;
  const redirectUris = readRedirectUris(uris);
  const [clientId, name] = [newRegisteredAppId(), appName(clientName) ?? null];
  // Statements at the same time can exceed the number by a few.
  const [row] = await sql.rows<{ created_at: Date }>`
    INSERT INTO registered_app (id, name, redirect_uris, created_at, expires_at)
    SELECT ${clientId}, ${name}, ${[...redirectUris]}::text[], now(),
           now() + make_interval(hours => ${LIMITS.unusedAppHours}::int)
    WHERE (SELECT count(*) FROM (SELECT FROM registered_app LIMIT ${LIMITS.registeredApps}) AS stored)
      < ${LIMITS.registeredApps}
    RETURNING created_at`;
  if (!row) throw tooMany();
  return { clientId, name, redirectUris, createdAt: row.created_at };
}

function tooMany(): ServiceError {
  const message = `The service has ${formatCount(LIMITS.registeredApps)} registered apps, and takes no more at the moment. Try again later, or use a client ID metadata document.`;
  return new ServiceError('unavailable', message, { retryAfterMs: RETRY_MS });
}

const RETRY_MS = 3_600_000;

export async function findRegisteredApp(prisma: PrismaClient, clientId: string): Promise<RegisteredApp | undefined> {
  if (!isRegisteredApp(clientId)) return undefined;
  const row = await prisma.registeredApp.findUnique({ where: { id: clientId } });
  return row ? { clientId, name: row.name, redirectUris: row.redirectUris } : undefined;
}

/**
 * The registration that a new connection uses, which keeps it from being deleted. Null for an app with a document.
 * @throws {ServiceError} invalid_request if registration is off, or the registration has expired
 */
export async function useRegistration(
  { services: { settings }, now }: Pick<PublicContext, 'services' | 'now'>,
  tx: Transaction,
  clientId: string,
): Promise<string | null> {
  if (!isRegisteredApp(clientId)) return null;
  // Also locks the row until the app is stored: a sweep skips it.
  const expiresAt = new Date(now().getTime() + LIMITS.unusedAppHours * 3_600_000);
  const where = { id: clientId };
  if (settings.appRegistration && (await tx.registeredApp.updateMany({ where, data: { expiresAt } })).count > 0) {
    return clientId;
  }
  const message = 'The registration of the app is no longer valid. Start again in the app. Check {param}.';
  throw new ServiceError('invalid_request', message, { param: ['request'] });
}

/** Registered apps that one statement handles. */
const BATCH = 500;

/**
 * Deletes connections that have expired, and registered apps without a connection, some time after they registered or were
 * last connected. Several processes can do this at the same time.
 */
export async function sweepApps({ stores: { sql } }: SomeServices<'sql'>, stopped?: AbortSignal): Promise<void> {
  let expired = BATCH;
  while (!stopped?.aborted && expired === BATCH) {
    expired = await sql.execute`
      DELETE FROM connected_app WHERE id IN (
        SELECT id FROM connected_app WHERE expires_at <= now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  }
  let handled = BATCH;
  while (!stopped?.aborted && handled === BATCH) {
    const [row] = await sql.rows<{ handled: number }>`
      WITH due AS (
        SELECT r.id, EXISTS (SELECT FROM connected_app a WHERE a.registration_id = r.id) AS is_used
        FROM registered_app r WHERE r.expires_at <= now() ORDER BY r.expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ), kept AS (
        UPDATE registered_app SET expires_at = now() + make_interval(hours => ${LIMITS.unusedAppHours}::int)
        WHERE id IN (SELECT id FROM due WHERE is_used)
      ), deleted AS (
        DELETE FROM registered_app WHERE id IN (SELECT id FROM due WHERE NOT is_used)
      )
      SELECT count(*)::int AS handled FROM due`;
    handled = row?.handled ?? 0;
  }
}
