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
    ...EXCEPTIONS.filter((exception) => !messages.some((problem) => covers(exception, problem))).map(unused),
  ],
};

function covers({ rule, message }, problem) {
  return problem.ruleId === `@graphql-eslint/${rule}` && message.test(problem.message);
}

function unused({ rule, message }) {
  return { ruleId: rule, severity: 2, line: 1, column: 1, message: `The exception ${message} matches no problem.` };
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
