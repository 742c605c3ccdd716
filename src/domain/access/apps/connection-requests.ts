import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { SCOPES_OF_ROLE } from '../../../contract/roles.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { ConnectedApp } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { ALLOW_APP } from '../../../shapes/sign-in.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { SessionCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { accountDb } from '../claimed-effect.ts';
import { unauthorized } from '../unauthorized.ts';
import type { AppRequest } from './authorization-port.ts';
import {
  type ConnectionRequest,
  connectedEntry,
  decide,
  deploymentOf,
  readWaiting,
  requestUnknown,
  storeAllowance,
  storeDenial,
} from './decisions.ts';
import { useRegistration } from './registered-apps.ts';

/**
 * The request for access to a workspace, unless it has expired or was decided. The ID is the proof: it is in a cookie of the
 * browser.
 */
export async function readConnectionRequest(
  open: Pick<Context, 'services' | 'now'>,
  id: string,
): Promise<ConnectionRequest | undefined> {
  const request = await readWaiting(open, id);
  return request && deploymentOf(open, request) ? undefined : request;
}

const allowance = z.object(rulesOf({ scopes: ALLOW_APP.fields.scopes, environment: ALLOW_APP.fields.environment }));

/** What a member allows an app. */
export type Allowance = z.output<typeof allowance>;

/** @throws {ServiceError} invalid_request */
export function readAllowance(input: Readonly<Record<string, unknown>>): Allowance {
  return parseInput(allowance, input);
}

/**
 * Connects the app of a request. Returns the address where the browser continues.
 * @throws {ServiceError} not_found; invalid_request if a scope was not asked for, or the member does not have it;
 * unauthorized if the session has ended
 */
export async function allowApp(
  ctx: Context,
  caller: SessionCaller,
  requestId: string,
  { scopes, environment }: Allowance,
): Promise<ConnectedApp> {
  const at = ctx.now();
  return inTransaction(accountDb(ctx), async (tx) => {
    const { payload, request } = await decide(ctx, tx, requestId);
    if (deploymentOf(ctx, request)) throw requestUnknown();
    requireGrantable(request, caller, scopes);
    await requireOpenSession(tx, caller);
    await requireRoom(tx, caller);
    const app = await tx.connectedApp.create({
      data: {
        id: ctx.newId(),
        userId: caller.user.id,
        workspaceId: ctx.environment.workspaceId,
        environment,
        clientId: request.clientId,
        clientName: request.clientName,
        clientHost: request.clientHost,
        registrationId: await useRegistration(ctx, tx, request.clientId),
        scopes: [...scopes],
        createdAt: at,
        expiresAt: new Date(at.getTime() + LIMITS.appDays * 86_400_000),
      },
    });
    await storeAllowance(ctx, tx, { app, requestId, payload });
    const source = { ...ctx, environment: { ...ctx.environment, kind: environment } };
    await tx.$executeRaw(insertAuditEntry(source, connectedEntry(app)));
    return app;
  });
}

/** Refuses the request of an app. @throws {ServiceError} not_found */
export async function denyApp(ctx: Context, requestId: string): Promise<void> {
  await inTransaction(accountDb(ctx), async (tx) => {
    const { request } = await decide(ctx, tx, requestId);
    if (deploymentOf(ctx, request)) throw requestUnknown();
    await storeDenial(ctx, tx, requestId);
  });
}

function requireGrantable(request: AppRequest, { role }: SessionCaller, scopes: readonly Scope[]): void {
  const notAsked = scopes.find((scope) => !request.scopes.includes(scope));
  if (notAsked) throw wrongScope(`the app did not ask for ${notAsked}`);
  const missing = scopes.find((scope) => !SCOPES_OF_ROLE[role].includes(scope));
  if (missing) throw wrongScope(`your role of ${role} does not have ${missing}`);
}

function wrongScope(reason: string): ServiceError {
  return new ServiceError('invalid_request', `{param} cannot be allowed: ${reason}.`, { param: ['scopes'] });
}

/** Locks the session: who ends sessions ends apps after them, so no app outlasts the session that allowed it. */
async function requireOpenSession(tx: Transaction, { id }: SessionCaller): Promise<void> {
  const rows = await tx.$queryRaw<object[]>`
    SELECT FROM session WHERE id = ${id}::uuid AND revoked_at IS NULL AND expires_at > now() FOR UPDATE`;
  if (rows.length === 0) throw unauthorized();
}

async function requireRoom(tx: Transaction, { user, environment }: SessionCaller): Promise<void> {
  const where = { userId: user.id, workspaceId: environment.workspaceId };
  // Nobody could disconnect an app that has expired, because the list does not show it.
  await tx.connectedApp.deleteMany({ where: { ...where, expiresAt: { lte: new Date() } } });
  if ((await tx.connectedApp.count({ where })) < LIMITS.connectedApps) return;
  const message = `You already have ${LIMITS.connectedApps} connected apps in this workspace. Disconnect one of them.`;
  throw new ServiceError('invalid_request', message, { param: ['request'] });
}
