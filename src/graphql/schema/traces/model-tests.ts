import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { type ModelTest, testModel } from '../../../domain/agent/test-model.ts';
import { TEST_MODEL } from '../../../shapes/workflows.ts';
import '../agent/budget-reached.ts';
import { builder } from '../builder.ts';
import { Failure } from '../conversations/run-failures.ts';
import { FinishReasonEnum } from '../enums.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { tokenFields } from '../usage/token-fields.ts';
import { Attempt } from './trace-spans.ts';

const ModelTestObject = builder.objectRef<ModelTest>('ModelTest').implement({
  description: 'What a model answered to a test, or why it did not.',
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The model, as provider:name.' }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: `The first ${formatCount(LIMITS.modelTestLength)} characters of what it wrote. Null: it failed.`,
    }),
    finishReason: t.expose('finishReason', {
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the answer ended. Null: it failed, or the provider gave no known reason.',
    }),
    responseTime: t.float({
      description: 'Seconds until the answer or the failure, with a precision of one millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    failure: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it failed. Null: it answered.',
      resolve: ({ failure }) => failure,
    }),
    failedAttempts: t.field({
      type: [Attempt],
      nullable: true,
      access: { scope: 'traces:read' },
      description:
        'The attempts that failed, in order, also those that the service repeated. Null: the caller lacks the scope. Scope: traces:read.',
      resolve: ({ failedAttempts }) => [...failedAttempts],
    }),
  }),
});

mutation('testModel', {
  publishing: 'never',
  access: { scope: 'workflows:write' },
  description: `Asks a model for a greeting, to see whether its provider is configured, and how fast it answers. A failure is a part of the result. Nothing is stored, but the cost counts in the budgets of the environment. At most ${formatCount(LIMITS.modelTestTokens)} tokens and ${formatCount(LIMITS.modelTestSeconds)} seconds. If the client disconnects, the model is stopped. Scope: workflows:write.`,
  input: inputType(TEST_MODEL),
  errors: ['invalid_request', 'budget_reached'],
  resolve: async (input, { domain, closed }) => ({ test: await testModel(domain, input, closed) }),
  payload: (t) => ({
    test: t.field({ type: ModelTestObject, description: 'The result.', resolve: ({ test }) => test }),
  }),
});
