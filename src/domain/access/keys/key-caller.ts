import type { Scope } from '../../../contract/scopes.ts';
import type { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { ApiKeyCaller, EnvironmentRef } from '../../caller.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { hashToken } from '../tokens.ts';
import { isInRanges } from './ip-ranges.ts';

/** A valid key that was sent from an address outside its IP ranges. */
export interface RefusedKey {
  readonly id: string;
  readonly environment: EnvironmentRef;
}

/** The sender of a credential. */
export interface Sender {
  /** The client's IP address. */
  readonly address: string;
  /** Called if the address is outside the ranges of the key. The response does not tell, so the audit log has to. */
  refused(key: RefusedKey): void;
}

interface KeyRow extends EnvironmentRow {
  scopes: string[];
  requests_per_minute: number | null;
  secret_expires_at: Date | null;
  allowed_ip_ranges: string[];
  deployment_ids: string[];
}

/** The caller of an API key, and the value of `extraColumns`. Undefined if the key is not valid for the sender. */
export async function callerOfKey(
  sql: Sql,
  key: string,
  extraColumns: Prisma.Sql,
  sender: Sender,
): Promise<{ readonly caller: ApiKeyCaller; readonly extraColumns: unknown } | undefined> {
  const tokenHash = hashToken(key);
  const [row] = await sql.read<KeyRow>`
    SELECT k.id, k.scopes, k.requests_per_minute, k.allowed_ip_ranges, k.deployment_ids,
           least(k.expires_at, CASE WHEN k.token_hash <> ${tokenHash} THEN k.previous_expires_at END) AS secret_expires_at,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM api_key k JOIN environment e ON e.id = k.environment_id
    WHERE (k.token_hash = ${tokenHash} OR (k.previous_token_hash = ${tokenHash} AND k.previous_expires_at > now()))
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;
  if (!row) return undefined;
  const { id, allowed_ip_ranges: ipRanges } = row;
  const environment = environmentRef(row);
  if (!isInRanges(sender.address, ipRanges)) {
    sender.refused({ id, environment });
    return undefined;
  }
  const caller: ApiKeyCaller = {
    kind: 'api_key',
    id,
    tokenHash,
    environment,
    scopes: new Set(row.scopes as Scope[]),
    limits: { requestsPerMinute: row.requests_per_minute, ...environmentLimits(row) },
    expiresAt: row.secret_expires_at,
    ipRanges,
    deploymentIds: row.deployment_ids,
  };
  return { caller, extraColumns: row.extra_columns };
}
