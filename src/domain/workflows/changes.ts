import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Prisma, Workflow } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { requireActionAddresses } from './action-addresses.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { nameInput } from './deployment-input.ts';
import { changedDraft, draftChange } from './draft-input.ts';
import { requireUsableSchemas } from './draft-schemas.ts';
import { findWorkflow, lockWorkflow, requireRevision, requireWorkflow } from './reads.ts';

const newWorkflow = z.object({ name: nameInput, draft: draftChange.nullish() });
const workflowChange = newWorkflow.partial();

type Input = Readonly<Record<string, unknown>>;

/** The effect that is stored with an idempotency key. */
type StoredWorkflow = Readonly<Record<'workflowId', number>>;

/** Creates a workflow. It has no effect until it is published to a deployment. @throws {ServiceError} invalid_request */
export async function createWorkflow(ctx: Context, input: Input): Promise<Workflow> {
  const effect = storedEffect(ctx);
  if (effect) return findWorkflow(ctx, effect.workflowId);
  const { name, draft } = parseInput(newWorkflow, input);
  await requireUsableSchemas(draft ?? {});
  await requireActionAddresses(ctx, draft ?? {});
  const at = ctx.now();
  const data = {
    workspaceId: ctx.environment.workspaceId,
    name,
    draft: stored(changedDraft({}, draft ?? {})),
    createdAt: at,
    updatedAt: at,
  };
  return inTransaction(ctx.db, async (tx) => {
    const workflow = await tx.workflow.create({ data });
    const subjectId = String(workflow.id);
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'workflow.created', subjectId, details: { name }, at }));
    await recordEffect(tx, ctx.request.claim, { workflowId: workflow.id } satisfies StoredWorkflow);
    return workflow;
  });
}

/** A workflow, and the revision that the caller has seen. */
export interface WorkflowAddress {
  readonly workflowId: number;
  /** The change is rejected if the workflow has another revision. */
  readonly ifRevision?: number | null | undefined;
}

/**
 * Changes the name and the draft. Deployments run the published version until the draft is published. If nothing changes,
 * the revision stays the same and no audit entry is written.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function updateWorkflow(
  ctx: Context,
  { workflowId, ifRevision }: WorkflowAddress,
  input: Input,
): Promise<Workflow> {
  if (storedEffect(ctx)) return findWorkflow(ctx, workflowId);
  await requireWorkflow(ctx, workflowId);
  const { name, draft: change } = parseInput(workflowChange, input);
  await requireUsableSchemas(change ?? {});
  await requireActionAddresses(ctx, change ?? {});
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockWorkflow(ctx, tx, workflowId);
    requireRevision(ifRevision, before);
    const draft = changedDraft(before.draft, change ?? {});
    const changed = changedFields(before, name ?? before.name, draft);
    if (changed.length === 0) return before;
    const revision = before.revision + 1;
    const details = { revision, changed };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'workflow.updated', subjectId: String(workflowId), details, at }),
    );
    await recordEffect(tx, ctx.request.claim, { workflowId } satisfies StoredWorkflow);
    const data = { name: name ?? before.name, draft: stored(draft), revision, updatedAt: at };
    return tx.workflow.update({ where: { id: workflowId }, data });
  });
}

/** The names of changed fields. The audit log does not contain their values, because instructions can be confidential. */
function changedFields(before: Workflow, name: string, draft: WorkflowConfig): string[] {
  const previous: Input = workflowConfig.parse(before.draft);
  const after: Input = draft;
  const keys = new Set([...Object.keys(previous), ...Object.keys(after)]);
  const fields = [...keys].filter((key) => !isDeepStrictEqual(previous[key], after[key])).map((key) => `draft.${key}`);
  return name === before.name ? fields : ['name', ...fields];
}

/** The effect of an earlier attempt under the same idempotency key. */
function storedEffect(ctx: Context): StoredWorkflow | null | undefined {
  // Only the functions in this file write it.
  return ctx.request.claim?.effect as StoredWorkflow | null | undefined;
}

/** The input was JSON and is validated. */
function stored(config: WorkflowConfig): Prisma.InputJsonObject {
  return config as Prisma.InputJsonObject;
}
