import type { Recipe } from './recipe.ts';

/** Recipes for parts of the domain, the pages and the database. */
export const CODE_RECIPES: readonly Recipe[] = [
  {
    name: 'Add a limit',
    unchecked: {
      4: 'a test can write the number instead of the name',
    },
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'src/contract/limits.ts',
            find: '  /** Words of a full-text search. */\n',
            text: '  /** Words of a motto. */\n  mottoWords: 12,\n  /** Words of a full-text search. */\n',
          },
        ],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'src/domain/motto.ts',
            text: "import { LIMITS } from '../contract/limits.ts';\n\nexport const isMotto = (words: readonly string[]) => words.length <= LIMITS.mottoWords;\n",
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['mottoWords', 'src/domain'],
      },
      {
        number: 3,
        edits: [
          {
            file: 'docs/limits.md',
            find: '| Words of a full-text search |',
            text: '| Words of a motto | 12 |\n| Words of a full-text search |',
          },
        ],
        check: { tests: ['test/docs/generated.test.ts'] },
        names: ['docs/limits.md', 'Words of a motto', 'npm run docs'],
      },
    ],
  },
  {
    name: 'Add a client tool',
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'src/contract/client-tools.ts',
            find: '  /** Asks the user for a file. */\n',
            text: "  sing: { title: 'Song', icon: 'tool', description: 'Sings.', inputSchema: { type: 'object', properties: {}, required: [] } },\n  /** Asks the user for a file. */\n",
          },
        ],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'src/domain/agent/tools/client-tool-rules.ts',
            find: '  upload_document: {',
            text: '  sing: { checkOutput: checkUpload },\n  upload_document: {',
          },
        ],
        check: 'types',
        names: ['client-tool-rules.ts', "'sing' is missing"],
      },
      {
        number: 2,
        edits: [
          {
            file: 'src/web/calls/pending-round.tsx',
            find: '  upload_document: UploadForm,',
            text: '  sing: UploadForm,\n  upload_document: UploadForm,',
          },
        ],
        check: { tests: ['test/contracts/client-tools.test.ts'] },
        names: ['src/web/calls/pending-round.tsx', 'sing'],
      },
      {
        number: 2,
        edits: [
          {
            file: 'src/web/timeline/call-details.tsx',
            find: 'const VIEWS: Readonly<Record<ClientToolName, ComponentType<CallProps>>> = {\n',
            text: 'const VIEWS: Readonly<Record<ClientToolName, ComponentType<CallProps>>> = {\n  sing: () => null,\n',
          },
        ],
        check: 'types of pages',
        names: ['timeline/call-details.tsx', "'sing' is missing"],
      },
      {
        number: 2,
        edits: [
          {
            file: 'src/web/texts/en.ts',
            find: '  ask_user: CLIENT_TOOLS.ask_user.title,\n',
            text: '  ask_user: CLIENT_TOOLS.ask_user.title,\n  sing: CLIENT_TOOLS.sing.title,\n',
          },
        ],
        check: 'types of pages',
        names: ['texts/en.ts', "'sing' is missing"],
      },
      {
        number: 3,
        edits: [
          {
            file: 'docs/client-tools-and-agents.md',
            find: '# Client tools and agents\n',
            text: '# Client tools and agents\n\n`sing` sings.\n',
          },
        ],
        check: { tests: ['test/contracts/client-tools.test.ts'] },
        names: ['docs/client-tools-and-agents.md', 'sing'],
      },
    ],
  },
  {
    name: 'Add a dashboard page',
    declares: [
      {
        number: 1,
        edits: [{ file: 'src/web/dashboard/motto/page.tsx', text: 'export function Page() {\n  return null;\n}\n' }],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'src/web/dashboard/shell/pages.ts',
            find: "      {\n        path: '/conversations',\n",
            text: "      { path: '/motto', label: 'Motto', load: () => import('../motto/page.tsx') },\n      {\n        path: '/conversations',\n",
          },
        ],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['src/web/dashboard/shell/pages.ts', 'src/web/dashboard/motto/page.tsx'],
      },
      {
        number: 3,
        edits: [{ file: 'test/browser/motto.test.ts', text: "export const PAGE = '/motto';\n" }],
        check: { tests: ['test/contributing/recipes.test.ts'] },
        names: ['test/browser', '/motto'],
      },
    ],
  },
  {
    name: 'Write a migration',
    unchecked: { 4: 'test/db needs a database: row-level-security.test.ts and colocation.test.ts name the table' },
    declares: [
      {
        number: 1,
        edits: [
          {
            file: 'prisma/schema.prisma',
            find: '  attemptsLeft    Int            @default(0) @map("attempts_left")\n',
            text: '  attemptsLeft    Int            @default(0) @map("attempts_left")\n  motto           String?        @map("motto_text")\n',
          },
        ],
      },
    ],
    steps: [
      {
        number: 2,
        edits: [
          {
            file: 'prisma/migrations/99990101000000_motto/migration.sql',
            text: 'ALTER TABLE "run" ADD COLUMN "motto_text" TEXT;\n',
          },
        ],
        check: { tests: ['test/contributing/migrations.test.ts'] },
        names: ['prisma/schema.prisma', 'motto_text', 'npm run db:migration'],
      },
      {
        number: 3,
        edits: [
          {
            file: 'prisma/migrations/99990101000001_motto_index/migration.sql',
            text: '-- parley: outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "motto_idx" ON "run"("model");\n',
          },
        ],
        instead: [
          {
            file: 'prisma/migrations/99990101000001_motto_index/migration.sql',
            text: 'CREATE INDEX "motto_idx" ON "run"("model");\n',
          },
        ],
        check: { tests: ['test/contributing/migrations.test.ts'] },
        names: ['99990101000001_motto_index', 'CONCURRENTLY'],
      },
    ],
  },
  {
    name: 'Add a quirk of a provider',
    unchecked: { 2: 'it runs the test', 3: 'only a person can see that a quirk cannot be read' },
    declares: [],
    steps: [
      {
        number: 1,
        edits: [{ file: 'test/providers/motto/first.json', text: quirk({ source: 'https://example.com/motto' }) }],
        instead: [{ file: 'test/providers/motto/first.json', text: quirk({}) }],
        check: { tests: ['test/docs/generated.test.ts'] },
        names: ['test/providers/motto/first.json', 'source'],
      },
      {
        number: 4,
        edits: [
          {
            file: 'docs/providers.md',
            find: '| Moonshot | `openai-compatible:` |  |  | 2 |  |\n',
            text: '| Moonshot | `openai-compatible:` |  |  | 2 |  |\n| Motto | `openai-compatible:` |  |  | 1 |  |\n',
          },
        ],
        check: { tests: ['test/docs/generated.test.ts'] },
        names: ['docs/providers.md', 'Motto', 'npm run docs'],
      },
    ],
  },
];

/** The file of a quirk. */
function quirk(fields: { readonly source?: string }): string {
  return JSON.stringify({
    provider: 'Motto',
    quirk: 'Sends one piece.',
    ...fields,
    protocol: 'chat',
    chunks: [{ choices: [{ index: 0, delta: { content: 'Per aspera' }, finish_reason: 'stop' }] }],
    expect: { text: 'Per aspera' },
  });
}
