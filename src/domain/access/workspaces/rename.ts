import { z } from 'zod';
import { inTransaction } from '../../../db/transaction.ts';
import { UPDATE_ME, UPDATE_WORKSPACE } from '../../../shapes/accounts.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { SessionCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { accountDb } from '../claimed-effect.ts';
import { administerMembers } from '../member-rules.ts';
import type { Workspace } from './workspaces.ts';

const workspaceChange = z.object(rulesOf(UPDATE_WORKSPACE.fields));

const nameChange = z.object(rulesOf(UPDATE_ME.fields));

type NameInput = Readonly<Record<'name', string>>;

/**
 * Changes the name of the caller's workspace.
 * @throws {ServiceError} invalid_request; unauthorized or forbidden as `administerMembers`
 */
export function updateWorkspace(ctx: Context, input: NameInput): Promise<Workspace> {
  const { name } = parseInput(workspaceChange, input);
  const { workspaceId: id } = ctx.environment;
  return administerMembers(ctx, async (tx) => {
    const { name: before } = await tx.workspace.findUniqueOrThrow({ where: { id }, select: { name: true } });
    if (before === name) return { id, name };
    const details = { from: before, to: name };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'workspace.renamed', subjectId: id, details, at: ctx.now() }));
    return tx.workspace.update({ where: { id }, data: { name }, select: { id: true, name: true } });
  });
}

/** Changes the name of the member, in all their workspaces. The audit log has both names. @throws {ServiceError} invalid_request */
export function updateMe(ctx: Context, { user: { id } }: SessionCaller, input: NameInput): Promise<NameInput> {
  const { name } = parseInput(nameChange, input);
  return inTransaction(accountDb(ctx), async (tx) => {
    const [user] = await tx.$queryRaw<{ name: string }[]>`
      SELECT name FROM user_account WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    if (user?.name === name) return { name };
    const details = { from: user?.name ?? null, to: name };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'member.renamed', subjectId: id, details, at: ctx.now() }));
    return tx.user.update({ where: { id }, data: { name }, select: { name: true } });
  });
}
