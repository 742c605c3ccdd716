import type { FinishReason } from '../../../contract/statuses.ts';
import { cursorBefore } from '../../../domain/agent/live/follow-turns.ts';
import { rowKey } from '../../../domain/row-key.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { FinishReasonEnum, RunStatusEnum } from '../enums.ts';
import { HandlingModeEnum } from '../handling-enums.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { tokenFields } from '../usage/token-fields.ts';

export const Run = builder.prismaNode('Run', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'conversations:read',
    nodeRows: { model: 'run', keyOf: uuidKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  readsRow: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, uuidKey(id)),
  description: 'One turn of the assistant. It is only for monitoring: no operation takes a run as input.',
  fields: (t) => ({
    runId: t.expose('id', {
      type: 'UUID',
      description: 'The ID of the run. It stays the same when the run pauses and resumes.',
    }),
    status: t.expose('status', { type: RunStatusEnum, description: 'The status of the run.' }),
    finishReason: t.field({
      type: FinishReasonEnum,
      nullable: true,
      description:
        'Why the reply ended; STOPPED if the turn was stopped. Null: the turn has not ended, it failed, or the provider gave no known reason.',
      select: { finishReason: true },
      resolve: ({ finishReason }) => finishReason as FinishReason | null,
    }),
    followCursor: t.string({
      description:
        'For `after` of `turnEvents`: the feed begins with this turn, from its first character, even if it has ended.',
      select: { conversationId: true },
      resolve: ({ id, conversationId }, _args, { domain }) => cursorBefore(domain, { runId: id, conversationId }),
    }),
    handledBy: t.expose('handledBy', {
      type: HandlingModeEnum,
      nullable: true,
      description:
        'WAITING or MEMBER if no model was called: the message was stored for a person. Null: the assistant answered it.',
    }),
    model: t.exposeString('model', { description: 'The model, as provider:name.' }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the service accepted the turn.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the run last changed its status or stored a step.',
    }),
  }),
});
