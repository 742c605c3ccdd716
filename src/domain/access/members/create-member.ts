import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { ROLES, type Role } from '../../../contract/roles.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { required } from '../../../shapes/field.ts';
import { displayName } from '../../../shapes/names.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { hashPassword } from '../password-hash.ts';

/** The user to create. */
export interface MemberInput {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly password: string;
}

const memberInput = z.object({
  email: z.string().trim().toLowerCase().pipe(z.email('must be an email address')),
  name: required(displayName).rule,
  role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
  password: z.string(),
});

/** Creates a user and their membership in the caller's workspace. @throws {ServiceError} invalid_request */
export async function createMember(ctx: Context, input: MemberInput): Promise<string> {
  const { email, name, role, password } = parseInput(memberInput, input);
  const passwordHash = await hashPassword(password, 'password');
  const { workspaceId } = ctx.environment;
  const id = ctx.newId();
  const at = ctx.now();
  await inTransaction(ctx.services.stores.prisma, async (tx) => {
    const isNew = await insertMember(tx, { id, workspaceId, email, name, role, passwordHash, at });
    if (!isNew) throw new ServiceError('invalid_request', '{param} belongs to another user.', { param: ['email'] });
    const source = { ...ctx, environment: { workspaceId, kind: null } };
    await tx.$executeRaw(insertAuditEntry(source, { action: 'member.created', subjectId: id, details: { role }, at }));
  });
  return id;
}

interface NewMember extends Omit<MemberInput, 'password' | 'role'> {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly at: Date;
}

/** Adds a user for whose address the operator vouches. Returns false if another user has this email address. */
export async function insertMember(tx: Transaction, member: NewMember): Promise<boolean> {
  const { id, workspaceId, email, name, role, passwordHash, at: createdAt } = member;
  const user = { id, email, name, passwordHash, createdAt, emailVerifiedAt: createdAt };
  const { count } = await tx.user.createMany({ data: [user], skipDuplicates: true });
  if (count === 0) return false;
  await tx.membership.create({ data: { workspaceId, userId: id, role, createdAt, acceptsPassword: true } });
  return true;
}
