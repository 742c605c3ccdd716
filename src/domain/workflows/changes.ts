import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Prisma, Workflow } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { markEffect } from '../access/idempotency.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { requireActionAddresses } from './action-addresses.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { changedDraft, draftChange } from './draft-input.ts';
import { nameInput } from './name-input.ts';
import { findWorkflow, lockWorkflow, requireRevision, requireWorkflow } from './reads.ts';

const newWorkflow = z.object({ name: nameInput, draft: draftChange.nullish() });
const workflowChange = newWorkflow.partial();

type Input = Readonly<Record<string, unknown>>;

/** A new or changed workflow as an idempotency key remembers it. */
type MadeWorkflow = Readonly<Record<'workflowId', number>>;

/** Makes a workflow: nobody meets it before a deployment of it is published. @throws {ServiceError} invalid_request */
export async function createWorkflow(ctx: Context, input: Input): Promise<Workflow> {
  const made = madeBefore(ctx);
  if (made) return findWorkflow(ctx, made.workflowId);
  const { name, draft } = parseInput(newWorkflow, input);
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
    await tx.$executeRaw(audited(ctx, { action: 'workflow.created', subjectId, details: { name }, at }));
    await markEffect(tx, ctx.request.claim, { workflowId: workflow.id } satisfies MadeWorkflow);
    return workflow;
  });
}

/** Which workflow a caller means, and which revision of it. */
export interface WorkflowAddress {
  readonly workflowId: number;
  /** The change is refused where the workflow is no longer at this one. */
  readonly ifRevision?: number | null | undefined;
}

/**
 * Changes name and draft. What deployments run stays as it is until the draft is published. Where nothing changes the
 * revision stays, and the audit log tells of nothing.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function updateWorkflow(
  ctx: Context,
  { workflowId, ifRevision }: WorkflowAddress,
  input: Input,
): Promise<Workflow> {
  if (madeBefore(ctx)) return findWorkflow(ctx, workflowId);
  await requireWorkflow(ctx, workflowId);
  const { name, draft: change } = parseInput(workflowChange, input);
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
    await tx.$executeRaw(audited(ctx, { action: 'workflow.updated', subjectId: String(workflowId), details, at }));
    await markEffect(tx, ctx.request.claim, { workflowId } satisfies MadeWorkflow);
    const data = { name: name ?? before.name, draft: stored(draft), revision, updatedAt: at };
    return tx.workflow.update({ where: { id: workflowId }, data });
  });
}

/** Which fields are other than before: their names alone, since instructions can hold what is nobody else's business. */
function changedFields(before: Workflow, name: string, draft: WorkflowConfig): string[] {
  const known: Input = workflowConfig.parse(before.draft);
  const after: Input = draft;
  const keys = new Set([...Object.keys(known), ...Object.keys(after)]);
  const fields = [...keys].filter((key) => !isDeepStrictEqual(known[key], after[key])).map((key) => `draft.${key}`);
  return name === before.name ? fields : ['name', ...fields];
}

function madeBefore(ctx: Context): MadeWorkflow | null | undefined {
  // Written by the two functions here, and by nothing else that is asked through their fields.
  return ctx.request.claim?.effect as MadeWorkflow | null | undefined;
}

/** Plain JSON: it came in as that, and was checked. */
function stored(config: WorkflowConfig): Prisma.InputJsonObject {
  return config as Prisma.InputJsonObject;
}
