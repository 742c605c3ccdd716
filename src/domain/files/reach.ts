import type { Context } from '../context.ts';
import { boundsOf, type FileRow, ownerOf } from './file.ts';

/** What a caller does with a file, and the conversation that the request names. */
export interface FileAccess {
  readonly action: 'complete' | 'send' | 'read';
  readonly conversationId?: string | null | undefined;
}

/** A file, and whether the named conversation uses it: see {@link withUses}. */
type UsedFile = FileRow & { readonly uses?: readonly unknown[] };

/** No conversation has this ID. */
const NOTHING = '00000000-0000-0000-0000-000000000000';

/** The part of a query that reads whether the named conversation uses a file, if it is in the caller's reach. */
export function withUses(ctx: Context, { conversationId }: FileAccess) {
  const { deploymentIds, endUser } = boundsOf(ctx) ?? {};
  // Callers without credentials reach conversations without an owner.
  const owner = ctx.caller.kind === 'anonymous' ? null : endUser;
  const conversation = {
    ...(deploymentIds && { deploymentId: { in: [...deploymentIds] } }),
    ...(owner !== undefined && { endUser: owner }),
  };
  return {
    uses: { where: { conversationId: conversationId ?? NOTHING, conversation }, select: { id: true } },
  };
}

/**
 * Whether a caller can do it with a file. Callers that reach the whole environment share its files. Others have the files
 * of conversations in their reach, and their own uploads for their deployments. Nobody else can use those.
 */
export function isFileInReach(ctx: Context, file: UsedFile, { action, conversationId }: FileAccess): boolean {
  const bounds = boundsOf(ctx);
  if (file.uses && file.uses.length > 0) return true;
  if (!bounds) return action !== 'read' || !conversationId || file.conversationId === conversationId;
  const isOwn = bounds.deploymentIds.includes(file.deploymentId ?? '') && file.owner === ownerOf(ctx);
  if (action === 'complete') return isOwn;
  const fits = action === 'read' || file.conversationId === null || file.conversationId === conversationId;
  return isOwn && fits && file.usedAt === null;
}
