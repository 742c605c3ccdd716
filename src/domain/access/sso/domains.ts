import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';

const domainInput = z.object({
  domain: z
    .string()
    .toLowerCase()
    .regex(/^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/, 'must be a domain like example.com'),
});

/**
 * Lets the provider of a workspace vouch for the email addresses of a domain. Only the operator does this, because the
 * service cannot check who owns a domain.
 * @throws {ServiceError} invalid_request if the domain belongs to another workspace
 */
export async function assignDomain(ctx: Context, input: { readonly domain: string }): Promise<string> {
  const { domain } = parseInput(domainInput, input);
  const { workspaceId } = ctx.environment;
  const { prisma } = ctx.services.stores;
  await inTransaction(prisma, async (tx) => {
    const data = [{ domain, workspaceId, createdAt: ctx.now() }];
    const { count } = await tx.signInDomain.createMany({ data, skipDuplicates: true });
    if (count === 0) {
      throw new ServiceError('invalid_request', '{param} is already assigned. Remove it from its workspace first.', {
        param: ['domain'],
      });
    }
    await tx.$executeRaw(entryOf(ctx, 'sign_in_domain.assigned', domain));
  });
  return domain;
}

/** Single sign-on stops for the addresses of the domain. Open sessions stay. @throws {ServiceError} not_found */
export async function removeDomain(ctx: Context, input: { readonly domain: string }): Promise<string> {
  const { domain } = parseInput(domainInput, input);
  const { workspaceId } = ctx.environment;
  await inTransaction(ctx.services.stores.prisma, async (tx) => {
    const { count } = await tx.signInDomain.deleteMany({ where: { domain, workspaceId } });
    if (count === 0) {
      throw new ServiceError('not_found', '{param} is not a domain of the workspace.', { param: ['domain'] });
    }
    await tx.$executeRaw(entryOf(ctx, 'sign_in_domain.removed', domain));
  });
  return domain;
}

/** Accepts passwords again, if the provider locks everybody out. Returns false if the workspace accepts them already. */
export async function allowPasswords(ctx: Context): Promise<boolean> {
  const { workspaceId } = ctx.environment;
  return inTransaction(ctx.services.stores.prisma, async (tx) => {
    const where = { workspaceId, required: true };
    const { count } = await tx.ssoProvider.updateMany({ where, data: { required: false } });
    if (count === 0) return false;
    const source = { ...ctx, environment: { workspaceId, kind: null } };
    const action = 'sign_in_settings.updated';
    const entry = { action, subjectId: workspaceId, details: { sso_only: false }, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(source, entry));
    return true;
  });
}

function entryOf(ctx: Context, action: AuditInput['action'], domain: string) {
  const source = { ...ctx, environment: { workspaceId: ctx.environment.workspaceId, kind: null } };
  return insertAuditEntry(source, { action, subjectId: domain, at: ctx.now() });
}
