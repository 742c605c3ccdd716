import type { ErrorCode } from '../../../contract/errors.ts';
import { Run } from '../conversations/runs.ts';
import { errorType, registerErrors } from '../errors.ts';
import './budget-reached.ts';
import { factsOf, isReader, UNREADABLE } from './error-facts.ts';

const ModelFailed = errorType(
  'ModelFailed',
  'The model failed, or exceeded its time limit. The message of a turn is stored, so the next message continues the conversation.',
  (t) => ({
    runId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The ID of the failed turn. Null: a one-shot run, or the test of a draft.',
      resolve: (error) => factsOf(error).run_id ?? null,
    }),
    conversationId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The ID of the conversation. Null: a one-shot run, or the test of a draft.',
      resolve: (error) => factsOf(error).conversation_id ?? null,
    }),
    run: t.prismaField({
      type: Run,
      nullable: true,
      description: `The failed turn, with its \`failure\`. Null also for a one-shot run and the test of a draft. ${UNREADABLE}`,
      resolve: (query, error, _args, context) => {
        const { run_id: id } = factsOf(error);
        return id && isReader(context) ? context.domain.db.run.findFirst({ ...query, where: { id } }) : null;
      },
    }),
    isRetryable: t.boolean({
      description:
        'Whether the same message can succeed later. False: somebody must change something first, for example the key of the provider.',
      resolve: ({ error }) => error.details.failure?.isRetryable ?? true,
    }),
    retryAfterMs: t.int({
      nullable: true,
      description: 'Milliseconds that the provider asks to wait. Null: it asked for no pause.',
      resolve: ({ error }) => error.details.failure?.retryAfterMs ?? null,
    }),
  }),
);

registerErrors({ model_error: ModelFailed, model_timeout: ModelFailed });

/** Errors of everything that asks the model. */
export const MODEL_ERRORS: readonly ErrorCode[] = ['model_error', 'model_timeout', 'budget_reached'];
