import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../../contract/audit.ts';
import { ServiceError } from '../../contract/errors.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import { type Deployment, Prisma } from '../../db/generated/client.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { CALLER_DEFAULTS } from '../../shapes/environment.ts';
import { changedValues } from '../../shapes/field.ts';
import { DEFAULT_SETTINGS, DEPLOYMENT_SETTINGS, type DeploymentSettings } from '../../shapes/workflows.ts';
import { credentialTopic } from '../access/caller-ends.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import { brandingOf, changedFields, DEFAULT_BRANDING, storedBranding } from '../branding/branding.ts';
import { changedBranding } from '../branding/input.ts';
import { storeLogo } from '../branding/logo.ts';
import type { Context } from '../context.ts';
import { unlessDeleted } from '../dependants.ts';
import { parseInput } from '../input.ts';
import { workflowConfig } from './config.ts';
import { deploymentChange, newDeployment } from './deployment-input.ts';
import { findDeployment, lockDeployment } from './deployment-reads.ts';
import { unknownVersion } from './deployments.ts';
import { requirePricesOfPublished } from './needed-prices.ts';
import { isPublicDeployment, requireExplicitApprovers } from './public-approvals.ts';
import { requireWorkflow, workflowNotFound } from './reads.ts';

type Input = Readonly<Record<string, unknown>>;

/** The effect that is stored with an idempotency key. */
type StoredDeployment = Readonly<Record<'deploymentId', string>>;

/**
 * Creates a deployment of a workflow. Its runner paths return 404 until a version is published to it.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function createDeployment(ctx: Context, workflowId: number, input: Input): Promise<Deployment> {
  // Only this function writes this effect.
  const existing = ctx.request.claim?.effect as StoredDeployment | null | undefined;
  if (existing) return findDeployment(ctx, existing.deploymentId);
  await requireWorkflow(ctx, workflowId);
  const { name, kind, branding: sent, ...changes } = parseInput(newDeployment, input);
  const settings = changedValues(DEPLOYMENT_SETTINGS, DEFAULT_SETTINGS, changes);
  requireProvider(ctx, settings);
  const { branding, logo } = changedBranding(DEFAULT_BRANDING, sent ?? {});
  const at = ctx.now();
  const id = ctx.newId();
  const owner = { workspaceId: ctx.environment.workspaceId, workflowId };
  const stored = storedBranding(branding);
  const brand = brandingDetails({ branding: {} }, { branding: stored });
  const details = { workflow_id: workflowId, name, kind, ...onTheWire(settings), ...brand };
  const create = () =>
    inTransaction(ctx.db, async (tx) => {
      await tx.$executeRaw(insertAuditEntry(ctx, { action: 'deployment.created', subjectId: id, details, at }));
      await recordEffect(tx, ctx.request.claim, { deploymentId: id } satisfies StoredDeployment);
      const data = {
        id,
        ...owner,
        name,
        kind,
        ...storedSettings(settings),
        branding: { ...stored },
        createdAt: at,
        updatedAt: at,
      };
      const created = await tx.deployment.create({ data });
      if (logo) await storeLogo(tx, created, logo);
      return created;
    });
  return unlessDeleted(workflowNotFound, create);
}

/**
 * Changes the name and settings from the next request on. If nothing changes, no audit entry is written.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function updateDeployment(ctx: Context, id: string, input: Input): Promise<Deployment> {
  await findDeployment(ctx, id, { select: { id: true } });
  const { name, branding: brand, ...changes } = parseInput(deploymentChange, input);
  return change(ctx, id, 'deployment.updated', async (before, tx) => {
    const current = brandingOf(before.branding);
    const { branding, logo } = brand === undefined ? { branding: current } : changedBranding(current, brand);
    if (logo !== undefined) await storeLogo(tx, before, logo);
    const settings = changedValues(DEPLOYMENT_SETTINGS, settingsOf(before), changes);
    await requireDecided(tx, before, settings);
    if (settings.challenge !== before.challenge) requireProvider(ctx, settings);
    return {
      name: name ?? before.name,
      ...settings,
      branding: storedBranding(branding),
    };
  });
}

/** A deployment that becomes public runs a version that decides about approvals by strangers. @throws {ServiceError} */
async function requireDecided(
  tx: Transaction,
  before: Deployment,
  after: Parameters<typeof isPublicDeployment>[0],
): Promise<void> {
  const { workflowId, publishedVersion: number } = before;
  if (number === null || isPublicDeployment(before) || !isPublicDeployment(after)) return;
  const key = { workflowId_number: { workflowId, number } };
  const version = await tx.workflowVersion.findUnique({ where: key, select: { config: true } });
  if (version) requireExplicitApprovers(workflowConfig.parse(version.config));
}

/** @throws {ServiceError} invalid_request */
function requireProvider({ services }: Context, { challenge }: Pick<Deployment, 'challenge'>): void {
  if (challenge !== 'provider' || services.ports.challenges) return;
  const message = '{param} cannot be PROVIDER: the operator of the service has not set CHALLENGE_VERIFY_URL.';
  throw new ServiceError('invalid_request', message, { param: ['challenge'] });
}

/**
 * Makes a deployment run an existing version of its workflow, for a rollback or a roll-forward.
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

/** Unpublishes a deployment: its runner paths return 404 until a version is published again. Triggers stay. */
export function unpublishDeployment(ctx: Context, id: string): Promise<Deployment> {
  return change(ctx, id, 'deployment.unpublished', () => ({ publishedVersion: null }));
}

type Change = Partial<Omit<Deployment, 'id' | 'workspaceId' | 'workflowId'>>;

/** Fields that decide which models run, and which budgets apply to them. */
const NEEDS_PRICES: ReadonlySet<string> = new Set(['publishedVersion', ...Object.keys(CALLER_DEFAULTS)]);

/** Changes a locked deployment, and audits the differences. */
async function change(
  ctx: Context,
  id: string,
  action: AuditAction,
  decide: (before: Deployment, tx: Transaction) => Change | Promise<Change>,
): Promise<Deployment> {
  // Budgets of the other environment also need prices, so the statements see all rows.
  const changed = await inTransaction(withoutRowSecurity(ctx.db), async (tx) => {
    const before = await lockDeployment(ctx, tx, id);
    const after: Input = await decide(before, tx);
    const stored: Input = { ...before };
    const changed = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(stored[key], value));
    if (changed.length === 0) return before;
    const at = ctx.now();
    const details = { ...onTheWire(Object.fromEntries(changed)), ...brandingDetails(before, after) };
    await tx.$executeRaw(insertAuditEntry(ctx, { action, subjectId: id, details, at }));
    const updated = await tx.deployment.update({
      where: { id },
      data: { ...storedSettings(Object.fromEntries(changed)), updatedAt: at },
    });
    if (changed.some(([name]) => NEEDS_PRICES.has(name))) await requirePricesOfPublished(ctx, tx, [id]);
    return updated;
  });
  // The change may have revoked the access of anonymous callers with open subscriptions.
  ctx.services.stores.pubSub.publish(credentialTopic(id));
  return changed;
}

/** The default budgets are JSON. */
function settingsOf(row: Deployment): DeploymentSettings {
  return row as Omit<Deployment, keyof typeof CALLER_DEFAULTS> & DeploymentSettings;
}

/** The columns of changed settings. Null in a column of JSON must be the null of the database. */
function storedSettings<Changes extends object>(changes: Changes) {
  const columns = Object.entries(changes).map(([name, value]) => {
    return [name, value === null && Object.hasOwn(CALLER_DEFAULTS, name) ? Prisma.DbNull : value];
  });
  return Object.fromEntries(columns) as {
    [Name in keyof Changes]: Name extends keyof typeof CALLER_DEFAULTS ? Prisma.InputJsonObject : Changes[Name];
  };
}

/** Names the changed fields of the branding alone. */
function brandingDetails(before: Pick<Deployment, 'branding'>, { branding }: Input): object {
  const changed = branding === undefined ? {} : changedFields(brandingOf(before.branding), brandingOf(branding));
  return Object.keys(changed).length === 0 ? {} : { branding: onTheWire(changed) };
}

/** The field names of the audit log. */
function onTheWire(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}
