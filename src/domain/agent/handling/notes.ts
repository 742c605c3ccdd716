import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { ADMINISTRATORS } from '../../../contract/roles.ts';
import type { ConversationNote } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { ADD_CONVERSATION_NOTE } from '../../../shapes/conversations.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { recordEffect } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { touchConversation } from '../../conversations/touch.ts';
import { type Author, personIdOf } from '../../handling/handling-state.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { callerAsAuthor } from './holder.ts';

const { text } = ADD_CONVERSATION_NOTE.fields;

const noteInput = z.object(rulesOf({ text }));

/** A note that was added or deleted. The effect of an idempotency key has the same form. */
export interface ChangedNote {
  readonly conversationId: string;
  readonly noteId: string;
}

/**
 * Adds a note for the team. The user of the conversation and the model never read it.
 * @throws {ServiceError} not_found, invalid_request, forbidden
 */
export async function addNote(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<ChangedNote> {
  const recorded = ctx.request.claim?.effect as ChangedNote | null | undefined;
  if (recorded) return recorded;
  const note = parseInput(noteInput, input);
  const author = JSON.stringify(callerAsAuthor(ctx) satisfies Author);
  const added = { conversationId, noteId: newTypeId('note') } satisfies ChangedNote;
  const environmentId = ctx.environment.id;
  await inTransaction(ctx.db, async (tx) => {
    // The lock lets the next statement see all notes of others, so that they cannot exceed the limit together.
    if (!(await touchConversation(ctx, tx, conversationId))) throw conversationNotFound();
    const count = await tx.$executeRaw`
      WITH counted AS MATERIALIZED (
        SELECT count(*) AS notes FROM conversation_note
        WHERE environment_id = ${environmentId}::uuid AND conversation_id = ${conversationId}::uuid
      )
      INSERT INTO conversation_note (environment_id, id, conversation_id, text, author, created_at)
      SELECT ${environmentId}::uuid, ${added.noteId}, ${conversationId}::uuid, ${note.text}, ${author}::jsonb, now()
      FROM counted WHERE counted.notes < ${LIMITS.conversationNotes}`;
    if (count === 0) throw tooManyNotes();
    await recordEffect(tx, ctx.request.claim, added);
  });
  publishConversationChange(ctx.services.stores.pubSub, environmentId, conversationId);
  return added;
}

function tooManyNotes(): ServiceError {
  const message = `{param} already has ${LIMITS.conversationNotes} notes. Delete one of them.`;
  return new ServiceError('invalid_request', message, { param: ['conversationId'] });
}

/**
 * Deletes a note. Its author can, and so can owners and admins.
 * @throws {ServiceError} not_found, forbidden
 */
export async function deleteNote(ctx: Context, noteId: string): Promise<ChangedNote> {
  const recorded = ctx.request.claim?.effect as ChangedNote | null | undefined;
  if (recorded) return recorded;
  const note = await ctx.db.conversationNote.findFirst({ where: { id: noteId } });
  if (!note) throw noteNotFound();
  requireMayDelete(ctx, note);
  const { conversationId } = note;
  const deleted = { conversationId, noteId } satisfies ChangedNote;
  await inTransaction(ctx.db, async (tx) => {
    // Before the note, because a deletion of the conversation takes the locks in the same order.
    const isThere = await touchConversation(ctx, tx, conversationId);
    const { count } = await tx.conversationNote.deleteMany({ where: { id: noteId } });
    if (!isThere || count === 0) throw noteNotFound();
    await recordEffect(tx, ctx.request.claim, deleted);
  });
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return deleted;
}

function requireMayDelete({ caller }: Context, { author }: ConversationNote): void {
  if ((author as unknown as Author).id === personIdOf(caller)) return;
  if (caller.kind === 'session' && ADMINISTRATORS.includes(caller.role)) return;
  const message = 'Only its author, and members with the roles owner and admin, can delete this note.';
  throw new ServiceError('forbidden', message);
}

function noteNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no note with this ID in this environment. Check {param}.', {
    param: ['conversationNoteId'],
  });
}

/** A note by its ID. Null: it was deleted in the meantime. */
export function findNote({ db }: Context, id: string): Promise<ConversationNote | null> {
  return db.conversationNote.findFirst({ where: { id } });
}
