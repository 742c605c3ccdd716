import type { Mutant } from './mutant.ts';

const TESTS = 'spec/model-tests.test.ts';
const STEPS = 'spec/setup.test.ts';

/** Guards of tests of models, of the lists of providers and of the first steps. */
export const MODEL_TESTS: readonly Mutant[] = [
  {
    name: 'tests of models have no limit',
    file: 'domain/agent/test-model.ts',
    find: '  await countTest(request);\n',
    replace: '  void countTest;\n',
    test: TESTS,
  },
  {
    name: 'a test of a model counts in no budget',
    file: 'domain/agent/test-model.ts',
    find: '    spending,\n    count:',
    replace: '    count:',
    test: TESTS,
  },
  {
    name: 'a test of a model can write any number of tokens',
    file: 'domain/agent/test-model.ts',
    find: 'maxReplyTokens: LIMITS.modelTestTokens, ',
    replace: '',
    test: TESTS,
  },
  {
    name: 'every caller sees the response of a provider to a test',
    file: 'graphql/schema/traces/model-tests.ts',
    find: "      access: { scope: 'traces:read' },\n",
    replace: '',
    test: TESTS,
  },
  {
    name: 'the list of models contains fine-tuned ones',
    file: 'model/offered-models.ts',
    find: '!FINE_TUNED.test(id) && ',
    replace: '',
    test: TESTS,
  },
  {
    name: 'each look at the models asks the provider',
    file: 'model/offered-models.ts',
    find: 'const KEPT_MS = 60_000;',
    replace: 'const KEPT_MS = 0;',
    test: TESTS,
  },
  {
    name: 'the first start of the service counts as a first step',
    file: 'domain/workflows/setup-progress.ts',
    find: ' AND updated_at > since) AS "hasWorkflow"',
    replace: ' AND updated_at >= since) AS "hasWorkflow"',
    test: STEPS,
  },
];
