import { requireScope, scopeMissing } from '../../access/scopes.ts';
import type { Context } from '../../context.ts';
import { type Author, personIdOf } from '../../handling/handling-state.ts';
import { callerAsAuthor } from '../handling/holder.ts';

/** How a caller takes part in a conversation. */
export type Participant =
  /** As its user. */
  | { readonly kind: 'user' }
  /** As a person who can answer for the assistant. */
  | Author;

/** The person of the user in the table. The IDs of accounts and API keys are others. */
const USER = 'user';

export function personOf(participant: Participant): string {
  return participant.kind === 'user' ? USER : participant.id;
}

/**
 * How the caller takes part. A token of an end user and a visitor are always the user, and so is a caller who says it and has
 * the scope of the user.
 * @throws {ServiceError} forbidden
 */
export function participantOf(
  ctx: Context,
  { asUser, scope }: { readonly asUser: boolean; readonly scope: 'conversations:read' | 'conversations:write' },
): Participant {
  const { caller } = ctx;
  if (!asUser && personIdOf(caller) !== undefined) {
    requireScope(caller, 'conversations:handle');
    return callerAsAuthor(ctx);
  }
  if (!caller.scopes.has(scope)) throw scopeMissing(caller, scope);
  return { kind: 'user' };
}
