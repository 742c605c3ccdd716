import { ServiceError } from '../../contract/errors.ts';
import { ADMINISTRATORS } from '../../contract/roles.ts';
import type { Document } from '../../db/generated/client.ts';
import { requireRole } from '../access/scopes.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { DocumentContract, VersionText } from './compiler-port.ts';

/** A text with its contract. */
interface Candidate {
  readonly name: string;
  readonly text: string;
  readonly contract: Pick<DocumentContract, 'writes'>;
}

/**
 * The root fields that change something and that the document with this name did not have before. Empty for the first
 * document of a name. A document that was unpublished counts, because its callers still know the path.
 */
export async function addedWrites(
  ctx: Context,
  current: { readonly document: Document; readonly version: VersionText } | undefined,
  { name, contract }: Candidate,
): Promise<readonly string[]> {
  if (contract.writes.length === 0) return [];
  const before = current ? await writesOf(ctx, current.version) : await lastWrites(ctx, name);
  return before ? contract.writes.filter((field) => !before.includes(field)) : [];
}

/** A version that this release does not accept has no callers, but they can still know its path. */
async function writesOf(ctx: Context, version: VersionText): Promise<readonly string[] | undefined> {
  const { contract } = await ctx.services.ports.documents.checkVersion(version);
  return contract ? contract.writes : lastWrites(ctx, version.name);
}

/** The writes of the last publication under a name, from the audit log. Undefined if the log has no such entry. */
async function lastWrites({ sql, environment }: Context, name: string): Promise<readonly string[] | undefined> {
  const [row] = await sql.rows<{ writes: string[] | null }>`
    SELECT details -> 'writes' AS writes FROM audit_entry
    WHERE workspace_id = ${environment.workspaceId}::uuid AND action = 'document.published'
      AND environment = ${environment.kind}::environment_kind AND details ->> 'name' = ${name}
    ORDER BY id DESC LIMIT 1`;
  return row?.writes ?? undefined;
}

/** The breaking changes of these root fields. */
export function writeChanges(added: readonly string[]): string[] {
  return added.map((field) => `a call now runs ${field}, which changes data; only an owner or admin can publish this`);
}

/** @throws {ServiceError} forbidden */
export function requireAdministrator(caller: Caller, [field]: readonly string[]): void {
  if (caller.kind === 'operator') return;
  if (caller.kind === 'session') return void requireRole(caller, ADMINISTRATORS);
  const message = `A call of this document now runs ${field}, which changes data. Only an owner or admin can publish this, with a session.`;
  throw new ServiceError('forbidden', message, { facts: { required_roles: ADMINISTRATORS } });
}
