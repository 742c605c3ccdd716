import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../../contract/audit.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Deployment } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { credentialTopic } from '../access/caller-ends.ts';
import { markEffect } from '../access/idempotency.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { changedSettings, DEFAULT_SETTINGS, deploymentChange, newDeployment } from './deployment-input.ts';
import { findDeployment, lockDeployment } from './deployment-reads.ts';
import { requireWorkflow } from './reads.ts';

type Input = Readonly<Record<string, unknown>>;

/** A deployment as an idempotency key remembers it. */
type MadeDeployment = Readonly<Record<'deploymentId', string>>;

/**
 * Makes a deployment of a workflow. It answers 404 until a version is published to it.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function createDeployment(ctx: Context, workflowId: number, input: Input): Promise<Deployment> {
  // Written below, and by nothing else that is asked through its field.
  const made = ctx.request.claim?.effect as MadeDeployment | null | undefined;
  if (made) return findDeployment(ctx, made.deploymentId);
  await requireWorkflow(ctx, workflowId);
  const { name, kind, ...given } = parseInput(newDeployment, input);
  const settings = changedSettings(DEFAULT_SETTINGS, given);
  const at = ctx.now();
  const id = ctx.newId();
  const owner = { workspaceId: ctx.environment.workspaceId, workflowId };
  const details = { workflow_id: workflowId, name, kind, ...onTheWire(settings) };
  return inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw(audited(ctx, { action: 'deployment.created', subjectId: id, details, at }));
    await markEffect(tx, ctx.request.claim, { deploymentId: id } satisfies MadeDeployment);
    return tx.deployment.create({ data: { id, ...owner, name, kind, ...settings, createdAt: at, updatedAt: at } });
  });
}

/**
 * Changes name and settings; they hold from the next request on. Where nothing changes the audit log tells of nothing.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function updateDeployment(ctx: Context, id: string, input: Input): Promise<Deployment> {
  await findDeployment(ctx, id, { select: { id: true } });
  const { name, ...given } = parseInput(deploymentChange, input);
  return change(ctx, id, 'deployment.updated', (before) => ({
    name: name ?? before.name,
    ...changedSettings(before, given),
  }));
}

/**
 * Lets a deployment run a version that its workflow has: an earlier one, or a later one again.
 * @throws {ServiceError} not_found
 */
export async function rollBackDeployment(ctx: Context, id: string, version: number): Promise<Deployment> {
  return change(ctx, id, 'deployment.rolled_back', async ({ workflowId }, tx) => {
    const key = { workflowId_number: { workflowId, number: version } };
    if (!(await tx.workflowVersion.findUnique({ where: key, select: { number: true } })))
      throw unknownVersion('version');
    return { publishedVersion: version };
  });
}

/** Ends what a deployment runs: it answers 404 until a version is published to it again. Its triggers stay. */
export function unpublishDeployment(ctx: Context, id: string): Promise<Deployment> {
  return change(ctx, id, 'deployment.unpublished', () => ({ publishedVersion: null }));
}

/** @param param the argument that names the version */
export function unknownVersion(param: string): ServiceError {
  return new ServiceError('not_found', 'The workflow has no such version. Check {param}.', { param: [param] });
}

type Change = Partial<Omit<Deployment, 'id' | 'workspaceId' | 'workflowId'>>;

/** Changes a locked deployment, and writes down what is other than before. */
async function change(
  ctx: Context,
  id: string,
  action: AuditAction,
  decide: (before: Deployment, tx: Transaction) => Change | Promise<Change>,
): Promise<Deployment> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    const before = await lockDeployment(ctx, tx, id);
    const after: Input = await decide(before, tx);
    const stored: Input = { ...before };
    const changed = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(stored[key], value));
    if (changed.length === 0) return before;
    const at = ctx.now();
    const details = onTheWire(Object.fromEntries(changed));
    await tx.$executeRaw(audited(ctx, { action, subjectId: id, details, at }));
    return tx.deployment.update({ where: { id }, data: { ...Object.fromEntries(changed), updatedAt: at } });
  });
  // What anonymous callers and visitors of it have open may have ended with what let them in.
  ctx.services.live.publish(credentialTopic(id));
  return changed;
}

/** Names as the audit log writes them. */
function onTheWire(fields: object): Record<string, unknown> {
  const named = Object.entries(fields).map(([key, value]) => [
    key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(named);
}
