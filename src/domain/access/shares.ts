import { LIMITS } from '../../contract/limits.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { endUserDigest } from './end-user-digest.ts';
import { addressKey } from './rate-limits.ts';

/**
 * The caller in whose share of a pool something counts. An address is stored as a keyed hash, of its network if it is IPv6:
 * see {@link addressKey}. A visitor's cookie is no share, because anybody can get any number of them. Null: the service
 * itself.
 */
export function shareOf({ caller, services, environment, request }: Context): string | null {
  switch (caller.kind) {
    case 'anonymous':
      return `address_${services.settings.secretBox.digest(`${environment.id} ${addressKey(request.address)}`)}`;
    case 'end_user':
      return endUserDigest(services, environment, caller.endUser);
    case 'api_key':
      return `key_${caller.id}`;
    case 'app':
    case 'session':
      return `member_${caller.user.id}`;
    default:
      return null;
  }
}

/** Callers who did not get a credential of the workspace itself. */
export function isStranger(caller: Caller | undefined): boolean {
  return caller === undefined || caller.kind === 'anonymous' || caller.kind === 'end_user';
}

/** The condition that a share is that of a stranger. */
export function isStrangersShare(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(${column} ~ '^(address|end_user)_', false)`;
}

/** The condition that a share is that of a caller without an identity. */
export function isVisitorsShare(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(${column} ~ '^address_', false)`;
}

/** The parts of a pool that one stranger gets, and all strangers together. */
export interface StrangerParts {
  readonly one: number;
  readonly all: number;
}

/** At least one place each, so a small pool stays usable. */
export function strangerParts(whole: number): StrangerParts {
  const part = (percent: number) => Math.max(1, Math.floor((whole * percent) / 100));
  return { one: part(LIMITS.strangerPercent), all: part(LIMITS.strangersPercent) };
}
