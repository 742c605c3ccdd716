import { type DeploymentResource, deploymentOfResource } from '../../../contract/apps/deployment-resource.ts';
import { ServiceError } from '../../../contract/errors.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { ConnectedApp } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { AuditInput } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import type { AppRequest, RecordPayload } from './authorization-port.ts';
import { recordHash } from './records.ts';

type Source = Pick<PublicContext, 'services' | 'now'>;

/** A request of an app that waits for the decision of a member or an end user. */
export interface ConnectionRequest extends AppRequest {
  readonly id: string;
  readonly expiresAt: Date;
}

/** The request, unless it has expired or was decided. */
export async function readWaiting({ services, now }: Source, id: string): Promise<ConnectionRequest | undefined> {
  const row = await services.stores.prisma.authorizationRecord.findFirst({ where: waiting(id, now()) });
  if (!row) return undefined;
  const request = services.ports.authorization.requestOf(row.payload as RecordPayload);
  return { ...request, id, expiresAt: row.expiresAt };
}

/** The deployment whose end users decide about the request. Undefined: members decide. */
export function deploymentOf(
  { services }: Pick<Source, 'services'>,
  { resources }: Pick<AppRequest, 'resources'>,
): DeploymentResource | undefined {
  const { publicUrl } = services.settings;
  return resources.map((resource) => deploymentOfResource(publicUrl, resource)).find(Boolean);
}

function waiting(id: string, at: Date) {
  const idHash = recordHash('Interaction', id);
  return { idHash, kind: 'Interaction', consumedAt: null, expiresAt: { gt: at } };
}

/** Takes the decision: of two at the same time, one. @throws {ServiceError} not_found */
export async function decide(
  { services, now }: Source,
  tx: Transaction,
  id: string,
): Promise<{ readonly payload: RecordPayload; readonly request: AppRequest }> {
  const at = now();
  const [row] = await tx.authorizationRecord.updateManyAndReturn({
    where: waiting(id, at),
    data: { consumedAt: at },
  });
  if (!row) throw requestUnknown();
  const payload = row.payload as RecordPayload;
  return { payload, request: services.ports.authorization.requestOf(payload) };
}

/** The same error for a request of another browser, so that its ID is no secret to guess. */
export function requestUnknown(): ServiceError {
  const message = 'This browser has no open request with this ID. Start again in the app. Check {param}.';
  return new ServiceError('not_found', message, { param: ['request'] });
}

interface StoredAllowance {
  readonly app: ConnectedApp;
  readonly requestId: string;
  /** The record of the request. */
  readonly payload: RecordPayload;
}

/** Stores what the authorization server reads: the permission, and the decision about the request. */
export async function storeAllowance(
  source: Source,
  tx: Transaction,
  { app, requestId, payload: request }: StoredAllowance,
): Promise<void> {
  const { id: appId, clientId, expiresAt } = app;
  const allowed = { appId, clientId, scopes: app.scopes as Scope[], expiresAt };
  const payload = { ...source.services.ports.authorization.grantOf(allowed, request) };
  await tx.authorizationRecord.create({
    data: { idHash: recordHash('Grant', appId), kind: 'Grant', payload: payload as object, appId, expiresAt },
  });
  await storeDecision(source, tx, requestId, appId);
}

/** Stores that the app gets no access. */
export function storeDenial(source: Source, tx: Transaction, requestId: string): Promise<void> {
  return storeDecision(source, tx, requestId, undefined);
}

async function storeDecision({ services }: Source, tx: Transaction, requestId: string, appId: string | undefined) {
  const decision = JSON.stringify(services.ports.authorization.decisionOf(appId));
  await tx.$executeRaw`
    UPDATE authorization_record SET payload = payload || ${decision}::jsonb, app_id = ${appId ?? null}::uuid
    WHERE id_hash = ${recordHash('Interaction', requestId)}`;
}

/** The audit entry of a connected app. */
export function connectedEntry(app: ConnectedApp): AuditInput {
  const { id, clientId, clientName, scopes, deploymentId, createdAt: at } = app;
  const details = {
    ...{ client_id: clientId, client_name: clientName, scopes },
    ...(deploymentId !== null && { deployment_id: deploymentId }),
  };
  return { action: 'app.connected', subjectId: id, details, at };
}
