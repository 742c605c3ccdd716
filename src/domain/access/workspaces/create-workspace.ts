import { z } from 'zod';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../../../contract/statuses.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { required } from '../../../shapes/field.ts';
import { displayName } from '../../../shapes/names.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { EnvironmentRef } from '../../caller.ts';
import { parseInput } from '../../input.ts';
import { type Operator, operatorCaller } from '../operator.ts';

/** A workspace and its two environments. */
export interface CreatedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly environments: Readonly<Record<EnvironmentKind, EnvironmentRef>>;
}

const workspaceInput = z.object({ name: required(displayName).rule });

/** Creates a workspace with two empty environments. @throws {ServiceError} invalid_request */
export function createWorkspace(operator: Operator, input: { readonly name: string }): Promise<CreatedWorkspace> {
  const { name } = parseInput(workspaceInput, input);
  const at = operator.now();
  return inTransaction(operator.services.stores.prisma, async (tx) => {
    const workspace = await insertWorkspace(tx, { name, at, newId: operator.newId });
    const { id, environments } = workspace;
    const source = {
      caller: operatorCaller(operator, environments.live),
      environment: { workspaceId: id, kind: null },
      request: operator.request,
    };
    await tx.$executeRaw(
      insertAuditEntry(source, { action: 'workspace.created', subjectId: id, details: { name }, at }),
    );
    return workspace;
  });
}

export async function insertWorkspace(
  tx: Transaction,
  { name, at, newId }: { readonly name: string; readonly at: Date; newId(): string },
): Promise<CreatedWorkspace> {
  const { id } = await tx.workspace.create({ data: { id: newId(), name, createdAt: at } });
  const createEnvironment = async (kind: EnvironmentKind) => {
    const environment = { id: newId(), kind, workspaceId: id };
    await tx.environment.create({ data: environment });
    return [kind, environment] as const;
  };
  const environments = [];
  for (const kind of ENVIRONMENT_KINDS) environments.push(await createEnvironment(kind));
  return { id, name, environments: Object.fromEntries(environments) as CreatedWorkspace['environments'] };
}
