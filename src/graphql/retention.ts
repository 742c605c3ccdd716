import { type RetentionSettings, readRetention, type SweepReport, setRetention } from '../domain/retention/settings.ts';
import { builder } from './builder.ts';

const Sweep = builder.objectRef<SweepReport>('RetentionSweep').implement({
  description: 'What a sweep has deleted.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was over; null while it is under way.',
    }),
    duration: t.float({
      nullable: true,
      description: 'Seconds that it took, to the millisecond; null while it is under way.',
      resolve: ({ startedAt, finishedAt }) => finishedAt && (finishedAt.getTime() - startedAt.getTime()) / 1_000,
    }),
    days: t.exposeInt('days', { description: 'The days that it went by.' }),
    conversations: t.exposeInt('conversations', {
      description: 'Conversations deleted so far, with what was in them.',
    }),
    triggers: t.exposeInt('triggers', { description: 'Expired triggers deleted so far.' }),
    workflowLogs: t.exposeInt('workflowLogs', { description: 'Lines of the workflow log deleted so far.' }),
  }),
});

const Retention = builder.objectRef<RetentionSettings>('Retention').implement({
  description: 'How long an environment keeps what was said.',
  fields: (t) => ({
    days: t.exposeInt('days', {
      nullable: true,
      description:
        'Days after its last turn that a conversation is deleted, one that waits for its user too; null for never.',
    }),
    lastSweep: t.expose('lastSweep', {
      type: Sweep,
      nullable: true,
      description: 'What the last sweep did; null before the first one.',
    }),
  }),
});

builder.queryField('retention', (t) =>
  t.field({
    type: Retention,
    authScopes: { administrator: true },
    description: 'How long the environment keeps what was said. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readRetention(domain),
  }),
);

builder.mutationField('setRetention', (t) =>
  t.field({
    type: Retention,
    authScopes: { administrator: true },
    description:
      'Says how long the environment keeps what was said; the next sweep, within the minute, goes by it. Needs a session of an owner or admin.',
    args: { days: t.arg.int({ description: '1 to 3,650; null for ever.' }) },
    resolve: (_root, { days }, { domain }) => setRetention(domain, days ?? null),
  }),
);
