import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import plugin from '@graphql-eslint/eslint-plugin';
import { buildSchema, isObjectType } from 'graphql';

const { configs, parser } = plugin;
const PUBLIC_SCHEMA = 'schema/schema.graphql';
const REST_DOCUMENTS = 'schema/rest/*.graphql';

/** Problems that are not reported, each with its reason. */
const EXCEPTIONS = [
  {
    rule: 'no-typename-prefix',
    message: /^Field "\w+Id" /,
    reason: 'The public ID of an object has its own name, because `id` is the global ID.',
  },
  {
    rule: 'relay-edge-types',
    message: /^Edge type's field `node` must implement `Node` interface/,
    times: 1,
    reason: 'A PendingAction is what a call is while it waits. The field `call` is the node.',
  },
];

const schema = buildSchema(readFileSync(join(import.meta.dirname, PUBLIC_SCHEMA), 'utf8'));

/** Types without an identity: pages, edges, payloads, parts of an object. Objects with an identity implement `Node`. */
const values = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) && !type.getInterfaces().some(({ name }) => name === 'Node') ? [type.name] : [],
);

const exceptions = {
  meta: { name: 'exceptions' },
  preprocess: (text) => [text],
  postprocess: ([messages]) => [
    ...messages.filter((problem) => !EXCEPTIONS.some((exception) => covers(exception, problem))),
    ...EXCEPTIONS.filter((exception) => !isUsed(exception, messages)).map(unused),
  ],
};

function covers({ rule, message }, problem) {
  return problem.ruleId === `@graphql-eslint/${rule}` && message.test(problem.message);
}

/** Whether the exception matches problems: as many as it says, or any number. */
function isUsed(exception, messages) {
  const found = messages.filter((problem) => covers(exception, problem)).length;
  return exception.times === undefined ? found > 0 : found === exception.times;
}

function unused({ rule, message, times = 'some' }) {
  const text = `The exception ${message} must match ${times} problems, and does not.`;
  return { ruleId: rule, severity: 2, line: 1, column: 1, message: text };
}

function language(schemaPath, documents) {
  return { parser, parserOptions: { graphQLConfig: { schema: schemaPath, ...(documents && { documents }) } } };
}

const plugins = { '@graphql-eslint': plugin };

export default [
  {
    files: [PUBLIC_SCHEMA],
    plugins,
    processor: exceptions,
    languageOptions: language(PUBLIC_SCHEMA),
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      '@graphql-eslint/strict-id-in-types': ['error', { exceptions: { types: values } }],
      // A connection also has `nodes`. Bounded lists, for example the parts of a message, are not connections.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
    },
  },
  {
    files: [REST_DOCUMENTS],
    plugins,
    languageOptions: language('schema/internal.graphql', REST_DOCUMENTS),
    rules: {
      ...configs['flat/operations-recommended'].rules,
      // A document selects what its REST path returns, not what a cache of a client needs.
      '@graphql-eslint/require-selections': 'off',
      // A variable has the name of its path or query parameter, in snake case.
      '@graphql-eslint/naming-convention': [
        'error',
        { OperationDefinition: { style: 'PascalCase' }, FragmentDefinition: { style: 'PascalCase' } },
      ],
    },
  },
];
