import { LIMITS } from '../../../contract/limits.ts';
import { rateMessage } from '../../../domain/conversations/rate-message.ts';
import {
  type RatingCounts,
  type RatingRow,
  ratingsOfEach,
  reportRatings,
} from '../../../domain/conversations/rating-report.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import { RATE_MESSAGE } from '../../../shapes/conversations.ts';
import { builder } from '../builder.ts';
import { RatingGroupEnum } from '../enums.ts';
import { ReportPeriodInput } from '../filters.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { conversationField } from './conversation-field.ts';
import { Conversation } from './conversations.ts';
import { Message } from './timeline.ts';

mutation('rateMessage', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Rates a reply of the assistant, also in a completed conversation. The rating replaces an earlier one. Scope: conversations:write.',
  input: inputType(RATE_MESSAGE),
  errors: ['invalid_request', 'not_found'],
  resolve: (input, { domain }) => rateMessage(domain, input),
  payload: (t) => ({
    // `message` would conflict with the field of errors.
    reply: t.field({ type: Message, description: 'The reply with its rating.', resolve: (message) => message }),
    ...conversationField('The conversation of the reply, with its new ratings.')(t),
  }),
});

const RatingCountsObject = builder.objectRef<RatingCounts>('RatingCounts').implement({
  description: 'How many replies have each rating.',
  fields: (t) => ({
    up: t.exposeInt('up', { description: 'Replies that helped.' }),
    down: t.exposeInt('down', { description: 'Replies that did not help.' }),
  }),
});

builder.prismaObjectField(Conversation, 'ratings', (t) =>
  t.field({
    type: RatingCountsObject,
    description: 'The ratings of its replies.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'ratings of conversations', id, (ids) => ratingsOfEach(domain, ids)),
  }),
);

const RatingReportRow = builder.objectRef<RatingRow>('RatingReportRow').implement({
  description: 'The ratings of a group of replies.',
  fields: (t) => ({
    day: t.exposeString('day', {
      nullable: true,
      description: 'The day in UTC, for example 2026-01-31. Null: not grouped by day.',
    }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description: 'The ID of the deployment. Null: not grouped by deployment.',
    }),
    workflowId: t.exposeInt('workflowId', {
      nullable: true,
      description: 'The workflow of the version. Null: not grouped by version.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'The version of the workflow that wrote the replies. Null: not grouped by version.',
    }),
    up: t.exposeInt('up', { description: 'Replies that helped.' }),
    down: t.exposeInt('down', { description: 'Replies that did not help.' }),
  }),
});

const RatingFilter = builder.inputType('RatingFilter', {
  description: 'Filters the ratings of a report. All conditions must match.',
  fields: (t) => ({
    deploymentId: t.field({
      type: 'UUID',
      idOf: 'Deployment',
      description: 'Only ratings of conversations with this deployment.',
    }),
  }),
});

builder.queryField('ratings', (t) =>
  t.field({
    publishing: 'reads',
    type: [RatingReportRow],
    access: { scope: 'conversations:read' },
    // The query reads the whole period.
    extensions: { cost: 200 } satisfies CostExtensions,
    description:
      'The ratings of replies in a period, latest day first. Deleted conversations are not counted. Scope: conversations:read.',
    args: {
      period: t.arg({
        type: ReportPeriodInput,
        required: true,
        description: `The time of the ratings: at most ${LIMITS.usageDays} days.`,
      }),
      groupBy: t.arg({
        type: [RatingGroupEnum],
        required: true,
        defaultValue: ['version' as const],
        description: 'The dimensions to group by. An empty list returns one row for everything.',
      }),
      filter: t.arg({ type: RatingFilter, description: 'Omit it for all ratings.' }),
    },
    resolve: (_root, { filter, ...report }, { domain }) => reportRatings(domain, { ...report, ...filter }),
  }),
);
