import { ServiceError } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import type { DependantRows } from '../dependants.ts';

/**
 * Makes changes of prices, publications and budgets in money of a workspace run one after another. So every published
 * version that a budget in money applies to runs models with a price.
 */
export async function lockModelPrices({ environment }: Context, tx: Transaction): Promise<void> {
  await tx.$queryRaw`SELECT FROM workspace WHERE id = ${environment.workspaceId}::uuid FOR NO KEY UPDATE`;
}

/** A model without a price, and a deployment that runs it. */
interface Unpriced {
  readonly model: string;
  readonly name: string;
}

/** The published versions of the workspace with the models that they run: that of the turns, and that of summaries. */
function publishedModels({ environment, services }: Context, more = Prisma.empty): Prisma.Sql {
  return Prisma.sql`
    deployment d JOIN workflow_version v ON v.workflow_id = d.workflow_id AND v.number = d.published_version,
    LATERAL (VALUES (coalesce(v.config->>'model', ${services.settings.defaultModel})), (v.config->>'summaryModel')) AS run (model)${more}
    WHERE d.workspace_id = ${environment.workspaceId}::uuid`;
}

const HAS_NO_PRICE = Prisma.sql`run.model IS NOT NULL AND NOT EXISTS (
      SELECT FROM model_price p WHERE p.workspace_id = d.workspace_id AND p.model = run.model)`;

/** The first model without a price that one of the deployments runs. Null: all deployments of the workspace. */
async function findUnpriced(
  ctx: Context,
  tx: Transaction,
  deploymentIds: readonly string[] | null,
): Promise<Unpriced | undefined> {
  const covered = deploymentIds ? Prisma.sql`AND d.id = ANY (${[...deploymentIds]}::uuid[])` : Prisma.empty;
  const [unpriced] = await tx.$queryRaw<Unpriced[]>`
    SELECT run.model, d.name FROM ${publishedModels(ctx)} ${covered} AND ${HAS_NO_PRICE}
    ORDER BY run.model, d.name LIMIT 1`;
  return unpriced;
}

/**
 * Requires the prices that a budget in money needs. The caller holds {@link lockModelPrices}.
 * @throws {ServiceError} invalid_request
 */
export async function requirePrices(
  ctx: Context,
  tx: Transaction,
  deploymentIds: readonly string[] | null,
): Promise<void> {
  const unpriced = await findUnpriced(ctx, tx, deploymentIds);
  if (!unpriced) return;
  const { model, name } = unpriced;
  const message = `The deployment "${name}" runs the model ${model}, which has no price. Set its price with setModelPrice, or set the budget in tokens.`;
  throw new ServiceError('invalid_request', message, { param: ['amount'] });
}

/**
 * Requires the prices of deployments that get another version or another default budget, if a budget in money of any
 * environment applies to one. The transaction sees all environments.
 * @throws {ServiceError} invalid_request
 */
export async function requirePricesOfPublished(
  ctx: Context,
  tx: Transaction,
  deploymentIds: readonly string[],
): Promise<void> {
  await lockModelPrices(ctx, tx);
  await requirePricesOfDefaults(ctx, tx, deploymentIds);
  const unpriced = await findUnpriced(ctx, tx, deploymentIds);
  if (!unpriced) return;
  for (const environment of await tx.environment.findMany({ select: { id: true } })) {
    const [budget] = await tx.$queryRaw<object[]>`
      SELECT FROM budget d WHERE ${isInMoney(environment.id, deploymentIds)} LIMIT 1`;
    if (!budget) continue;
    const message = `A budget in money applies to the deployment "${unpriced.name}", and the model ${unpriced.model} has no price. Set its price with setModelPrice first.`;
    throw new ServiceError('invalid_request', message);
  }
}

/** The default budgets of a deployment `d` and its version `v`, with their amounts. */
const DEFAULTS = Prisma.sql`(VALUES ('runBudget', v.config->'runBudget'->>'amount'), ('conversationBudget', v.config->'conversationBudget'->>'amount'),
        ('endUserBudget', d.end_user_budget->>'amount'), ('visitorBudget', d.visitor_budget->>'amount'))`;

/** @throws {ServiceError} invalid_request */
async function requirePricesOfDefaults(ctx: Context, tx: Transaction, deploymentIds: readonly string[]): Promise<void> {
  const [unpriced] = await tx.$queryRaw<(Unpriced & { field: string })[]>`
    SELECT run.model, d.name, budget.field
    FROM ${publishedModels(ctx, Prisma.sql`, LATERAL ${DEFAULTS} AS budget (field, amount)`)}
      AND d.id = ANY (${[...deploymentIds]}::uuid[]) AND budget.amount IS NOT NULL AND ${HAS_NO_PRICE}
    ORDER BY run.model, d.name LIMIT 1`;
  if (!unpriced) return;
  const { model, name, field } = unpriced;
  const message = `The ${field} of the deployment "${name}" is in money, and its model ${model} has no price. Set its price with setModelPrice first, or set ${field} in tokens.`;
  throw new ServiceError('invalid_request', message);
}

/** The deployments with a default budget in money, among those that run a model. */
function withMoneyDefaults(deploymentIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`d.id = ANY (${[...deploymentIds]}::uuid[]) AND EXISTS (
    SELECT FROM workflow_version v, LATERAL ${DEFAULTS} AS budget (field, amount)
    WHERE v.workflow_id = d.workflow_id AND v.number = d.published_version AND budget.amount IS NOT NULL)`;
}

/** The deployments whose default budgets need the price of a model, and the budgets, by environment, that need it. The transaction sees all environments. */
export async function budgetsThatNeed(
  ctx: Context,
  tx: Transaction,
  model: string,
): Promise<readonly (readonly DependantRows[])[]> {
  const running = await tx.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT d.id FROM ${publishedModels(ctx)} AND run.model = ${model}`;
  const ids = running.map(({ id }) => id);
  if (ids.length === 0) return [];
  const environments = await tx.environment.findMany({ select: { id: true } });
  const defaults = { kind: 'deployment', table: Prisma.sql`deployment`, where: withMoneyDefaults(ids) } as const;
  return [
    [{ ...defaults, isOwn: true }],
    ...environments.map(({ id }): DependantRows[] => [
      { kind: 'budget', table: Prisma.sql`budget`, where: isInMoney(id, ids), isOwn: id === ctx.environment.id },
    ]),
  ];
}

/** The condition for budgets `d` in money that apply to one of the deployments. Default budgets need prices as long as their default exists. */
function isInMoney(environmentId: string, deploymentIds: readonly string[]): Prisma.Sql {
  const ids = Prisma.sql`ANY (${[...deploymentIds]}::uuid[])`;
  return Prisma.sql`d.environment_id = ${environmentId}::uuid AND d.unit = 'money' AND NOT d.is_default AND (
    (d.deployment_id IS NULL AND d.conversation_id IS NULL AND d.run_id IS NULL) OR d.deployment_id = ${ids} OR EXISTS (
      SELECT FROM conversation c
      WHERE c.environment_id = ${environmentId}::uuid AND c.deployment_id = ${ids} AND c.id = coalesce(d.conversation_id, (
        SELECT r.conversation_id FROM run r WHERE r.environment_id = ${environmentId}::uuid AND r.id = d.run_id))))`;
}
