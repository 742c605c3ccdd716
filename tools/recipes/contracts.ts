import type { Recipe } from './recipe.ts';

/** The content of a file with a GraphQL field. */
const fieldWith = (options: string) =>
  `import { builder } from './builder.ts';\n\nbuilder.queryField('motto', (t) =>\n  t.string({ ${options} resolve: () => 'Per aspera' }),\n);\n`;

const [PUBLISHING, ACCESS, DESCRIPTION] = [
  "publishing: 'reads',",
  "access: { scope: 'workflows:read' },",
  "description: 'Says the spirit of the house.',",
];

/** Recipes for what clients see. */
export const CONTRACT_RECIPES: readonly Recipe[] = [
  {
    name: 'Add a GraphQL field',
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'src/graphql/schema/schema.ts',
            find: "import './exports.ts';\n",
            text: "import './exports.ts';\nimport './motto.ts';\n",
          },
        ],
      },
    ],
    steps: [
      {
        number: 1,
        edits: [{ file: 'src/graphql/schema/motto.ts', text: fieldWith(`${PUBLISHING} ${ACCESS} ${DESCRIPTION}`) }],
        instead: [{ file: 'src/graphql/schema/motto.ts', text: fieldWith(`${PUBLISHING} ${ACCESS}`) }],
        check: { tests: ['test/graphql/descriptions.test.ts'] },
        names: ['src/graphql/schema/motto.ts', 'Query.motto'],
      },
      { number: 2, edits: [], check: 'schema', names: ['schema/schema.graphql', 'npm run schema'] },
    ],
  },
  {
    name: 'Add a REST endpoint',
    unchecked: {
      1: 'the recipe of a GraphQL field checks it',
      2: 'the service does not know who needs a field: test/contracts/visibility.test.ts finds wrong marks',
    },
    declares: [
      {
        number: 3,
        edits: [
          {
            file: 'schema/rest/motto.graphql',
            text: '"The motto of the house."\nquery ReadMotto @rest(get: "/v1/motto") {\n  data: availableModels {\n    default_model: defaultModel\n  }\n}\n',
          },
        ],
      },
    ],
    steps: [
      { number: 3, edits: [], check: 'schema', names: ['schema/openapi.json', 'npm run schema'] },
      {
        number: 4,
        edits: [
          {
            file: 'test/rest/samples.ts',
            find: '  ...SESSION_SAMPLES,\n',
            text: "  ReadMotto: () => [{ status: 200, path: '/v1/motto' }],\n  ...SESSION_SAMPLES,\n",
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['test/rest/samples.ts', 'ReadMotto'],
      },
      {
        number: 4,
        edits: [
          {
            file: 'docs/rest.md',
            find: '| `DELETE /v1/deployments/{deployment_id}`',
            text: '| `GET /v1/motto` | The motto |\n| `DELETE /v1/deployments/{deployment_id}`',
          },
        ],
        check: { tests: ['test/rest/openapi.test.ts'] },
        names: ['docs/rest.md', 'GET /v1/motto'],
      },
    ],
  },
  {
    name: 'Add an event type',
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'src/contract/statuses.ts',
            find: "  'resource.deleted',\n",
            text: "  'resource.deleted',\n  'resource.moved',\n",
          },
        ],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'src/graphql/schema/events/event-enums.ts',
            find: "  'resource.deleted': 'A resource was deleted.',\n",
            text: "  'resource.deleted': 'A resource was deleted.',\n  'resource.moved': 'A resource was moved.',\n",
          },
        ],
        check: 'types',
        names: ['event-enums.ts', 'resource.moved'],
      },
      {
        number: 2,
        edits: [
          {
            file: 'src/rest/openapi-webhooks.ts',
            find: "  'resource.deleted': {",
            text: "  'resource.moved': { summary: 'A resource was moved', ...RESOURCE },\n  'resource.deleted': {",
          },
        ],
        check: 'types',
        names: ['openapi-webhooks.ts', 'resource.moved'],
      },
      {
        number: 3,
        edits: [{ file: 'src/domain/moved.ts', text: "export const APPENDED = 'resource.moved';\n" }],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['src/domain', 'resource.moved', 'appendEvent'],
      },
      {
        number: 4,
        edits: [
          { file: 'docs/data.md', find: '# Data and usage\n', text: '# Data and usage\n\n`resource.moved` is new.\n' },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['docs/', 'resource.moved'],
      },
    ],
  },
  {
    name: 'Add a setting of a deployment',
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'src/shapes/deployment.ts',
            find: "  hostedPage: flag({ title: 'Hosted page', says: 'Whether the service serves its hosted page' }, false),\n",
            text: "  hostedPage: flag({ title: 'Hosted page', says: 'Whether the service serves its hosted page' }, false),\n  motto: flag({ title: 'Motto', says: 'Whether it has a motto' }, false),\n",
          },
        ],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'prisma/schema.prisma',
            find: '@map("hosted_page")\n',
            text: '@map("hosted_page")\n  motto Boolean @default(false) @map("motto_flag")\n',
          },
        ],
        check: { tests: ['test/contributing/shapes.test.ts'] },
        names: ['prisma/schema.prisma', 'motto', 'src/shapes/deployment.ts'],
      },
      {
        number: 2,
        edits: [
          {
            file: 'prisma/migrations/99990101000002_motto_flag/migration.sql',
            text: 'ALTER TABLE "deployment" ADD COLUMN "motto_flag" BOOLEAN NOT NULL DEFAULT false;\n',
          },
        ],
        check: { tests: ['test/contributing/migrations.test.ts'] },
        names: ['motto_flag', 'npm run db:migration'],
      },
      { number: 2, edits: [], check: 'schema', names: ['schema/schema.graphql', 'npm run schema'] },
      {
        number: 2,
        edits: [
          {
            file: 'docs/workflows.md',
            find: '| `hostedPage` | Hosted page | Whether the service serves its hosted page. Default: false. |\n',
            text: '| `hostedPage` | Hosted page | Whether the service serves its hosted page. Default: false. |\n| `motto` | Motto | Whether it has a motto. Default: false. |\n',
          },
        ],
        check: { tests: ['test/docs/generated.test.ts'] },
        names: ['docs/workflows.md', 'npm run docs'],
      },
      {
        number: 3,
        edits: [
          {
            file: 'test/contributing/field-tables.ts',
            find: "'hostedPage', 'maxFileBytes', 'onReaderGone'],",
            text: "'hostedPage', 'maxFileBytes', 'motto', 'onReaderGone'],",
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['schema/rest', 'test/contributing/field-tables.ts', 'motto'],
      },
      {
        number: 4,
        edits: [
          {
            file: 'src/web/dashboard/deployments/settings.tsx',
            find: '        <Allowlist control={control} />\n',
            text: "        <FormCheckbox control={control} {...setting('motto', 'A few words.')} />\n        <Allowlist control={control} />\n",
          },
        ],
        check: { tests: ['test/contributing/shapes.test.ts'] },
        names: ['motto', 'src/web/dashboard/deployments'],
      },
    ],
  },
  {
    name: 'Add a transport',
    unchecked: { 4: 'only its own tests know the protocol' },
    declares: [
      {
        number: 1,
        edits: [{ file: 'src/transports/motto/router.ts', text: "export const MOTTO = 'Per aspera';\n" }],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'test/support/transport-operations.ts',
            find: "import { userMessage } from './ui-chat.ts';\n",
            text: "import { userMessage } from './ui-chat.ts';\n\nexport const MOTTO = '../../src/transports/motto/router.ts';\n",
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['test/support/transport-operations.ts', 'src/transports/motto'],
      },
      {
        number: 3,
        edits: [
          {
            file: 'docs/architecture.md',
            find: '`mcp`, and `ui` for the AI SDK',
            text: '`mcp`, `motto`, and `ui` for the AI SDK',
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['docs/architecture.md', 'src/transports/motto'],
      },
    ],
  },
];
