import { ServiceError } from '../../../contract/errors.ts';
import { isTypeId } from '../../../contract/ids.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { type Integration, integrationNotFound, integrationOf } from '../../integrations/reads.ts';
import { openSignIn, type SignInSecrets, sealSignIn } from '../../integrations/sign-in-secrets.ts';
import type { SignInState } from '../../integrations/sign-in-state.ts';

/** An integration with its sign-in, as it was read. */
export interface SignInRecord {
  readonly integration: Integration;
  readonly secrets: SignInSecrets;
  readonly version: number;
}

/** The next sign-in of an integration. */
export interface NextSignIn {
  readonly state: SignInState | null;
  readonly secrets: SignInSecrets;
}

/** Reads the sign-in of a connected MCP server. @throws {ServiceError} not_found, invalid_request */
export async function readSignIn(ctx: Context, id: string): Promise<SignInRecord> {
  const row = isTypeId('int', id) ? await ctx.db.integration.findFirst({ where: { id } }) : null;
  if (!row) throw integrationNotFound();
  const { sealedSignIn, signInVersion: version, sealedSecrets: _, environmentId: __, ...rest } = row;
  if (rest.kind !== 'mcp' || rest.disconnectedAt) {
    throw new ServiceError('invalid_request', '{param} must be a connected MCP server.', { param: ['id'] });
  }
  return { integration: integrationOf(rest), secrets: openSignIn(ctx, id, sealedSignIn), version };
}

/**
 * Stores the next sign-in with its audit entry, unless somebody has changed it since it was read. Returns whether it was
 * stored. So of two processes that want to use a code or a refresh token, only one gets it.
 */
export async function writeSignIn(
  ctx: Context,
  { integration: { id }, version }: SignInRecord,
  { state, secrets: next }: NextSignIn,
  entry?: Omit<AuditInput, 'at' | 'subjectId'>,
): Promise<boolean> {
  const sealedSignIn = sealSignIn(ctx, id, next);
  const data = { signIn: state ? { ...state } : Prisma.DbNull, sealedSignIn, signInVersion: version + 1 };
  return inTransaction(ctx.db, async (tx) => {
    const where = { id, environmentId: ctx.environment.id, signInVersion: version, disconnectedAt: null };
    const { count } = await tx.integration.updateMany({ where, data });
    if (count === 0) return false;
    if (entry) await tx.$executeRaw(insertAuditEntry(ctx, { ...entry, subjectId: id, at: ctx.now() }));
    return true;
  });
}

const WRITE_ATTEMPTS = 10;

/**
 * Stores what `next` returns for the current sign-in, even if others change it at the same time. Returns whether it was
 * stored: not if `next` returns undefined.
 * @throws {ServiceError} if the integration is disconnected meanwhile
 */
export async function changeSignIn(
  ctx: Context,
  first: SignInRecord,
  next: (now: SignInRecord) => NextSignIn | undefined,
  entry?: Omit<AuditInput, 'at' | 'subjectId'>,
): Promise<boolean> {
  let record = first;
  for (let left = WRITE_ATTEMPTS; left > 0; left -= 1) {
    const change = next(record);
    if (!change) return false;
    if (await writeSignIn(ctx, record, change, entry)) return true;
    record = await readSignIn(ctx, first.integration.id);
  }
  return false;
}
