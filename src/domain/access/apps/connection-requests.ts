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
import type { AppRequest, RecordPayload } from './authorization-port.ts';
import { recordHash } from './records.ts';

/** A request of an app that waits for the decision of a member. */
export interface ConnectionRequest extends AppRequest {
  readonly id: string;
  readonly expiresAt: Date;
}

/** The request, unless it has expired or was decided. The ID is the proof: it is in a cookie of the browser. */
export async function readConnectionRequest(
  { services, now }: Pick<Context, 'services' | 'now'>,
  id: string,
): Promise<ConnectionRequest | undefined> {
  const row = await services.stores.prisma.authorizationRecord.findFirst({ where: waiting(id, now()) });
  if (!row) return undefined;
  const request = services.ports.authorization.requestOf(row.payload as RecordPayload);
  return { ...request, id, expiresAt: row.expiresAt };
}

function waiting(id: string, at: Date) {
  const idHash = recordHash('Interaction', id);
  return { idHash, kind: 'Interaction', consumedAt: null, expiresAt: { gt: at } };
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
    const payload = await decide(tx, requestId, at);
    const request = ctx.services.ports.authorization.requestOf(payload);
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
        scopes: [...scopes],
        createdAt: at,
        expiresAt: new Date(at.getTime() + LIMITS.appDays * 86_400_000),
      },
    });
    await storeGrant(ctx, tx, app, payload);
    await storeDecision(ctx, tx, requestId, app.id);
    const details = { client_id: app.clientId, client_name: app.clientName, scopes: app.scopes };
    const source = { ...ctx, environment: { ...ctx.environment, kind: environment } };
    await tx.$executeRaw(insertAuditEntry(source, { action: 'app.connected', subjectId: app.id, details, at }));
    return app;
  });
}

/** Refuses the request of an app. @throws {ServiceError} not_found */
export async function denyApp(ctx: Context, requestId: string): Promise<void> {
  await inTransaction(accountDb(ctx), async (tx) => {
    await decide(tx, requestId, ctx.now());
    await storeDecision(ctx, tx, requestId, undefined);
  });
}

/** Takes the decision: of two at the same time, one. @throws {ServiceError} not_found */
async function decide(tx: Transaction, id: string, at: Date): Promise<RecordPayload> {
  const [row] = await tx.authorizationRecord.updateManyAndReturn({
    where: waiting(id, at),
    data: { consumedAt: at },
  });
  if (row) return row.payload as RecordPayload;
  throw requestUnknown();
}

/** The same error for a request of another browser, so that its ID is no secret to guess. */
export function requestUnknown(): ServiceError {
  const message = 'This browser has no open request with this ID. Start again in the app. Check {param}.';
  return new ServiceError('not_found', message, { param: ['request'] });
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

async function storeGrant({ services }: Context, tx: Transaction, app: ConnectedApp, request: RecordPayload) {
  const { id: appId, clientId, expiresAt } = app;
  const allowed = { appId, clientId, scopes: app.scopes as Scope[], expiresAt };
  const payload = { ...services.ports.authorization.grantOf(allowed, request) };
  await tx.authorizationRecord.create({
    data: { idHash: recordHash('Grant', appId), kind: 'Grant', payload: payload as object, appId, expiresAt },
  });
}

async function storeDecision({ services }: Context, tx: Transaction, requestId: string, appId: string | undefined) {
  const decision = JSON.stringify(services.ports.authorization.decisionOf(appId));
  await tx.$executeRaw`
    UPDATE authorization_record SET payload = payload || ${decision}::jsonb, app_id = ${appId ?? null}::uuid
    WHERE id_hash = ${recordHash('Interaction', requestId)}`;
}
