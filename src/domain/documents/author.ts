import { ADMINISTRATORS, type Role, SCOPES_OF_ROLE } from '../../contract/roles.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { Prisma } from '../../db/generated/client.ts';
import { requireScope, requireScopes } from '../access/scopes.ts';
import type { Caller } from '../caller.ts';
import type { DocumentAuthor, Requirement } from './compiler-port.ts';

/** The columns of an author. The statement has `AUTHOR_JOINS`. */
export interface AuthorRow {
  readonly author_kind: string;
  readonly author_role: Role | null;
  readonly author_scopes: string[] | null;
}

export const AUTHOR_COLUMNS = Prisma.sql`v.author_kind, m.role::text AS author_role, k.scopes AS author_scopes`;

/** The joins of a version `v` in the environment `e`. Former members and keys that no longer work have no row. */
export const AUTHOR_JOINS = Prisma.sql`
  JOIN environment e ON e.id = v.environment_id
  LEFT JOIN membership m ON v.author_kind = 'session' AND m.workspace_id = e.workspace_id AND m.user_id::text = v.author_id
  LEFT JOIN api_key k ON v.author_kind = 'api_key' AND k.environment_id = v.environment_id AND k.id = v.author_id
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

/** The author of a version. Undefined if the author is no longer a member, or the key no longer works. */
export function authorOf({ author_kind, author_role, author_scopes }: AuthorRow): DocumentAuthor | undefined {
  if (author_kind === 'operator') return { scopes: new Set(SCOPES), role: undefined };
  if (author_role) return { scopes: new Set(SCOPES_OF_ROLE[author_role]), role: author_role };
  return author_scopes ? { scopes: new Set(author_scopes as Scope[]), role: undefined } : undefined;
}

/** Why a document cannot run for its author. It acts for its callers, so its author must have the permission too. */
export function authorProblem(
  author: DocumentAuthor | undefined,
  requirements: readonly Requirement[],
): string | undefined {
  if (!author) return `Its author is no longer a member, or used an API key that no longer works. ${AGAIN}`;
  for (const { scope, scopes = [], anyRole } of requirements) {
    const needed = [...(scope ? [scope] : []), ...scopes];
    const missing = needed.find((each) => !author.scopes.has(each));
    if (missing) return `Its author no longer has the scope ${missing}. ${AGAIN}`;
    if (scopes.length > 0 && !anyRole && author.role && !ADMINISTRATORS.includes(author.role)) {
      return `Its author is no longer an owner or admin. ${AGAIN}`;
    }
  }
  return undefined;
}

const AGAIN = 'A member or API key with the permission must publish it again.';

/** Authors can publish only what they can call. @throws {ServiceError} forbidden */
export function requireAuthor(caller: Caller, requirements: readonly Requirement[]): void {
  for (const { scope, scopes, anyRole } of requirements) {
    if (scope) requireScope(caller, scope);
    if (scopes && anyRole) for (const each of scopes) requireScope(caller, each);
    else if (scopes) requireScopes(caller, scopes);
  }
}
