import {
  explainFailure,
  RUN_FAILURE_REASONS,
  type RunFailure,
  type RunFailureReason,
} from '../../../contract/run-failures.ts';
import { failureOf } from '../../../domain/agent/trace/reads.ts';
import { builder } from '../builder.ts';
import { valuesOf } from '../enum-type.ts';
import { Run } from './runs.ts';

export const RunFailureReasonEnum = builder.enumType('RunFailureReason', {
  description: 'Why a turn failed.',
  values: valuesOf(
    RUN_FAILURE_REASONS,
    Object.fromEntries(RUN_FAILURE_REASONS.map((reason) => [reason, explainFailure(reason, '').message])) as Readonly<
      Record<RunFailureReason, string>
    >,
  ),
});

export const Failure = builder.objectRef<RunFailure>('RunFailure').implement({
  description: 'Why a turn, or the test of a model, failed, and what to do. It contains no text of the model provider.',
  fields: (t) => ({
    reason: t.expose('reason', {
      type: RunFailureReasonEnum,
      description: 'The cause, from a closed set. New causes can be added.',
    }),
    message: t.exposeString('message', { description: 'The reason as a sentence for members.' }),
    advice: t.exposeString('advice', { description: 'What a member can do.' }),
  }),
});

builder.prismaObjectFields(Run, (t) => ({
  requestId: t.exposeString('requestId', {
    nullable: true,
    access: { scope: 'conversations:read', bound: 'inside' },
    description:
      'The x-request-id of the request that started or last resumed the turn. Null: the caller lacks the scope. Scope: conversations:read.',
  }),
  failure: t.field({
    type: Failure,
    nullable: true,
    access: { scope: 'conversations:read', bound: 'inside' },
    select: { errorCode: true, failureReason: true, model: true },
    description:
      'Why the turn failed or was interrupted by an error. Null: it did not fail, or the caller lacks the scope. Scope: conversations:read.',
    resolve: (run) => failureOf(run),
  }),
}));
