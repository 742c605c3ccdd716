import { ServiceError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import type { PrismaClient } from '../../db/generated/client.ts';
import type { Caller } from '../context.ts';
import { hashToken, isApiKey } from './tokens.ts';

/** The two headers that can carry a credential (SPEC 5). */
export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | undefined;
}

/**
 * Who sent these headers; undefined where they carry no credential at all.
 * @throws {ServiceError} invalid_request where two credentials disagree; unauthorized where one is not valid
 */
export async function authenticate(prisma: PrismaClient, headers: CredentialHeaders): Promise<Caller | undefined> {
  const token = presentedToken(headers);
  if (token === undefined) return undefined;
  const caller = isApiKey(token) ? await callerOfKey(prisma, token) : undefined;
  if (!caller) throw unauthorized();
  return caller;
}

export function unauthorized(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'Send a valid API key, as "Authorization: Bearer <key>" or "x-api-key: <key>".',
  );
}

function presentedToken(headers: CredentialHeaders): string | undefined {
  const bearer = bearerToken(headers.authorization);
  const key = headers['x-api-key']?.trim() || undefined;
  if (bearer !== undefined && key !== undefined && bearer !== key) {
    throw new ServiceError(
      'invalid_request',
      'The Authorization and x-api-key headers carry different credentials. Send one of them.',
    );
  }
  return bearer ?? key;
}

function bearerToken(authorization: string | undefined): string | undefined {
  if (!authorization?.trim()) return undefined;
  const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized();
  return token;
}

interface KeyRow {
  id: string;
  scopes: string[];
  environment_id: string;
  kind: EnvironmentKind;
  workspace_id: string;
}

async function callerOfKey(prisma: PrismaClient, key: string): Promise<Caller | undefined> {
  const [row] = await prisma.$queryRaw<KeyRow[]>`
    SELECT k.id, k.scopes, e.id AS environment_id, e.kind::text AS kind, e.workspace_id
    FROM api_key k JOIN environment e ON e.id = k.environment_id
    WHERE k.token_hash = ${hashToken(key)} AND k.revoked_at IS NULL`;
  return (
    row && {
      kind: 'api_key',
      id: row.id,
      environment: { id: row.environment_id, kind: row.kind, workspaceId: row.workspace_id },
      scopes: new Set(row.scopes as Scope[]),
    }
  );
}
