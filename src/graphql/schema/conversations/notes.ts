import { LIMITS } from '../../../contract/limits.ts';
import { addNote, deleteNote, findNote } from '../../../domain/agent/handling/notes.ts';
import { type Author, personIdOf } from '../../../domain/handling/handling-state.ts';
import { CONVERSATION_NOTES } from '../../../domain/related/lists.ts';
import { rowKey } from '../../../domain/row-key.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { ADD_CONVERSATION_NOTE, DELETE_CONVERSATION_NOTE } from '../../../shapes/conversations.ts';
import { builder } from '../builder.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { deletedId, mutation } from '../mutation.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { inputType } from '../shape-fields.ts';
import { conversationField } from './conversation-field.ts';
import { Conversation } from './conversations.ts';
import { MessageAuthor } from './handling.ts';

const authorOf = ({ author }: { readonly author: unknown }) => author as Author;

export const ConversationNote = builder.prismaNode('ConversationNote', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'conversations:handle',
    nodeRows: { model: 'conversationNote', keyOf: (id) => id },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, id),
  description:
    'What a person of the team says to the others about a conversation. Its user and the model never read it, and searches do not find it.',
  fields: (t) => ({
    conversationNoteId: t.exposeID('id', { description: 'The ID: note_ and 26 characters.' }),
    text: t.exposeString('text', { description: 'The note.' }),
    author: t.field({
      type: MessageAuthor,
      description: 'Who wrote it, with the name that they had then.',
      select: { author: true },
      resolve: authorOf,
    }),
    isMine: t.boolean({
      description: 'Whether the caller wrote it.',
      select: { author: true },
      resolve: (note, _args, { caller }) => caller !== undefined && authorOf(note).id === personIdOf(caller),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
    conversation: t.field({
      type: Conversation,
      nullable: true,
      access: { scope: 'conversations:read', bound: 'inside' },
      description:
        'The conversation that it is about. Null: it was deleted in the meantime, or the caller lacks the scope. Scope: conversations:read.',
      select: { conversationId: true },
      resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
    }),
  }),
});

builder.prismaObjectField(Conversation, 'notes', (t) =>
  t.connection(
    {
      type: ConversationNote,
      nullable: true,
      access: { scope: 'conversations:handle', bound: 'inside' },
      description:
        'Notes of the team about it, oldest first. Null: the caller lacks the scope. Scope: conversations:handle.',
      resolve: ({ id }, args, context, info) => loadConnection(CONVERSATION_NOTES, id, args, context, info),
    },
    { name: 'ConversationNoteConnection', description: 'A page of notes.' },
    { name: 'ConversationNoteEdge' },
  ),
);

mutation('addConversationNote', {
  publishing: 'never',
  access: { scope: 'conversations:handle', bound: 'addressed' },
  description: `Adds a note about a conversation for the team, also to a completed one. Limit: ${LIMITS.conversationNotes} per conversation. Scope: conversations:handle.`,
  input: inputType(ADD_CONVERSATION_NOTE),
  errors: ['not_found', 'invalid_request'],
  resolve: (input, { domain }) => addNote(domain, input),
  payload: (t) => ({
    note: t.field({
      type: ConversationNote,
      nullable: true,
      description: 'The new note. Null: it was deleted in the meantime.',
      resolve: ({ noteId }, _args, { domain }) => findNote(domain, noteId),
    }),
    ...conversationField('The conversation with the note.')(t),
  }),
});

mutation('deleteConversationNote', {
  publishing: 'never',
  access: { scope: 'conversations:handle' },
  description:
    'Deletes a note about a conversation. Its author can, and so can owners and admins with a session. Scope: conversations:handle.',
  input: inputType(DELETE_CONVERSATION_NOTE),
  errors: ['not_found'],
  resolve: ({ conversationNoteId }, { domain }) => deleteNote(domain, conversationNoteId),
  payload: (t) => ({
    deletedId: deletedId(t, 'ConversationNote', ({ noteId }) => noteId),
    ...conversationField('The conversation without the note.')(t),
  }),
});
