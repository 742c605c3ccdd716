import { z } from 'zod';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../../contract/statuses.ts';
import type { Transaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { EnvironmentRef } from '../context.ts';
import { nameText, parseInput } from '../input.ts';
import { type Operator, operatorCaller } from './operator.ts';

/** A workspace and its two environments. */
export interface MadeWorkspace {
  readonly id: string;
  readonly name: string;
  readonly environments: Readonly<Record<EnvironmentKind, EnvironmentRef>>;
}

const workspaceInput = z.object({ name: nameText });

/** Makes a workspace with its two environments, and nothing in them. @throws {ServiceError} invalid_request */
export function createWorkspace(operator: Operator, input: { readonly name: string }): Promise<MadeWorkspace> {
  const { name } = parseInput(workspaceInput, input);
  const at = operator.now();
  return operator.services.prisma.$transaction(async (tx) => {
    const made = await insertWorkspace(tx, { name, at, newId: operator.newId });
    const { id, environments } = made;
    const source = {
      caller: operatorCaller(operator, environments.live),
      environment: { workspaceId: id, kind: null },
      request: operator.request,
    };
    await tx.$executeRaw(audited(source, { action: 'workspace.created', subjectId: id, details: { name }, at }));
    return made;
  });
}

export async function insertWorkspace(
  tx: Transaction,
  { name, at, newId }: { readonly name: string; readonly at: Date; newId(): string },
): Promise<MadeWorkspace> {
  const { id } = await tx.workspace.create({ data: { id: newId(), name, createdAt: at } });
  const make = async (kind: EnvironmentKind) => {
    const environment = { id: newId(), kind, workspaceId: id };
    await tx.environment.create({ data: environment });
    return [kind, environment] as const;
  };
  const environments = [];
  for (const kind of ENVIRONMENT_KINDS) environments.push(await make(kind));
  return { id, name, environments: Object.fromEntries(environments) as MadeWorkspace['environments'] };
}
