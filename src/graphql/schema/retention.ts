import { deleteConversation } from '../../domain/conversations/delete.ts';
import {
  type RetentionSettings,
  readRetention,
  type SweepReport,
  setRetention,
} from '../../domain/retention/settings.ts';
import { SET_RETENTION } from '../../shapes/environment.ts';
import { builder } from './builder.ts';
import { deletedId, mutation } from './mutation.ts';
import { inputType } from './shape-fields.ts';
import './agent/turn-errors.ts';

const Sweep = builder.objectRef<SweepReport>('RetentionSweep').implement({
  description: 'The progress and result of a retention sweep.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time. Null: the sweep is running.',
    }),
    duration: t.float({
      nullable: true,
      description: 'Duration in seconds, with a precision of one millisecond. Null: the sweep is running.',
      resolve: ({ startedAt, finishedAt }) => finishedAt && (finishedAt.getTime() - startedAt.getTime()) / 1_000,
    }),
    days: t.exposeInt('days', { description: 'The retention period of the sweep, in days.' }),
    conversations: t.exposeInt('conversations', {
      description: 'Conversations deleted so far, including their messages and runs.',
    }),
    triggers: t.exposeInt('triggers', { description: 'Expired triggers deleted so far.' }),
    workflowLogs: t.exposeInt('workflowLogs', { description: 'Entries of the workflow log deleted so far.' }),
  }),
});

const Retention = builder.objectRef<RetentionSettings>('Retention').implement({
  description: 'The retention settings of an environment.',
  fields: (t) => ({
    days: t.exposeInt('days', {
      nullable: true,
      description:
        'Days after its last turn when the service deletes a conversation, even if it waits for its user. Null: never.',
    }),
    traceDays: t.exposeInt('traceDays', {
      description: 'Days for which the service keeps the traces of turns. 0: it writes no traces.',
    }),
    lastSweep: t.expose('lastSweep', {
      type: Sweep,
      nullable: true,
      description: 'The last sweep. Null: no sweep has run yet.',
    }),
  }),
});

builder.queryField('retention', (t) =>
  t.field({
    publishing: 'never',
    type: Retention,
    access: { administrator: true },
    description: 'The retention settings of the environment. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readRetention(domain),
  }),
);

mutation('setRetention', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Sets the retention period of the environment. The next sweep, within one minute, applies it. Needs a session of an owner or admin.',
  input: inputType(SET_RETENTION),
  errors: ['invalid_request'],
  resolve: ({ days, traceDays }, { domain }) =>
    setRetention(domain, { days: days ?? null, traceDays: traceDays ?? undefined }),
  payload: (t) => ({
    retention: t.field({ type: Retention, description: 'The new settings.', resolve: (retention) => retention }),
  }),
});

const DeleteConversationInput = builder.inputType('DeleteConversationInput', {
  description: 'The conversation to delete.',
  fields: (t) => ({
    conversationId: t.field({
      type: 'UUID',
      idOf: 'Conversation',
      required: true,
      description: 'The ID of the conversation.',
    }),
  }),
});

mutation('deleteConversation', {
  publishing: 'removes',
  access: { scope: 'conversations:write', bound: 'addressed' },
  description:
    'Deletes a conversation permanently, with its messages and runs. The trigger that started it stays used and loses its content. Error run_in_progress if a turn is running. Scope: conversations:write.',
  input: DeleteConversationInput,
  errors: ['not_found', 'run_in_progress'],
  resolve: async ({ conversationId }, { domain }) => ({
    conversationId: await deleteConversation(domain, conversationId),
  }),
  payload: (t) => ({
    deletedId: deletedId(t, 'Conversation', ({ conversationId }) => conversationId),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID of the deleted conversation.' }),
  }),
});
