import type { Mutant } from './mutant.ts';

const PUBLISH = 'domain/documents/publish.ts';
const RULES = 'rest/published/rules.ts';

/** Guards of published documents. */
export const DOCUMENTS: readonly Mutant[] = [
  {
    name: 'a document that breaks callers is published without an acknowledgement',
    file: PUBLISH,
    find: 'if (changes.length > 0 && !acknowledgeBreaking) throw breakingChange(changes);',
    replace: '',
    test: 'spec/documents.test.ts',
  },
  {
    name: 'a concurrent publication is overwritten',
    file: PUBLISH,
    find: 'if (locked?.version !== current?.document.version || locked?.id !== current?.document.id) {',
    replace: 'if (locked === undefined) {',
    test: 'spec/documents.test.ts',
  },
  {
    name: 'an environment has more documents than the limit',
    file: PUBLISH,
    find: '(await tx.document.count()) >= LIMITS.documents',
    replace: '(await tx.document.count()) < 0',
    test: 'spec/documents.test.ts',
  },
  {
    name: 'the documents of the service are the only trusted ones',
    file: 'graphql/server/trusted-documents.ts',
    find: 'SHA_256.test(id) ? await findTrusted(opened, id) : undefined',
    replace: 'undefined as Awaited<ReturnType<typeof findTrusted>>',
    test: 'spec/document-trusted.test.ts',
  },
  {
    name: 'a document is called over REST without a credential',
    file: 'rest/published/serve.ts',
    find: '  requireCaller(opened);\n',
    replace: '',
    test: 'spec/document-rest.test.ts',
  },
  {
    name: 'the calls of a document have no cost limit',
    file: 'rest/published/operation.ts',
    find: 'isOwn: false,',
    replace: 'isOwn: true,',
    test: 'spec/document-rest.test.ts',
  },
  {
    name: 'a variable of a document reads any header',
    file: RULES,
    find: 'if (headerOf(node)?.toLowerCase() === VARIABLE_HEADER.toLowerCase() && isText) return;',
    replace: 'if (isText) return;',
    test: 'spec/document-rules.test.ts',
  },
  {
    name: 'a field of a document sets any header',
    file: RULES,
    find: "const isTag = headerOf(node) === FIELD_HEADER && field?.name === 'etag';",
    replace: 'const isTag = true;',
    test: 'spec/document-rules.test.ts',
  },
  {
    name: 'the path of a document starts with the name of another',
    file: 'rest/published/path.ts',
    find: 'if (path !== start && !path.startsWith(`${start}/`))',
    replace: 'if (!path.startsWith(start))',
    test: 'spec/document-rules.test.ts',
  },
  {
    name: 'the result of a document has any number of fields',
    file: 'rest/published/compile.ts',
    find: 'if (size > LIMITS.documentFields)',
    replace: 'if (size < 0)',
    test: 'spec/document-rules.test.ts',
  },
  {
    name: 'typed files need no scope',
    file: 'rest/published/files.ts',
    find: '      requireDocumentsRead(opened);\n',
    replace: '',
    test: 'spec/document-files.test.ts',
  },
  {
    name: 'a file about many documents is written at once',
    file: 'rest/published/compiler.ts',
    find: '      await nextTurn();\n',
    replace: '',
    test: 'spec/document-blocking.test.ts',
  },
  {
    name: 'a text of an author ends a comment of the types',
    file: 'rest/published/typescript.ts',
    find: "text.replaceAll('*/', '*\\u200b/')",
    replace: 'text',
    test: 'spec/document-files.test.ts',
  },
  {
    name: 'a tool is listed for callers who cannot use it',
    file: 'transports/mcp/published-tools.ts',
    find: 'isUsable(document.route, opened) && toolOfDocument(document)',
    replace: 'toolOfDocument(document)',
    test: 'spec/document-tools.test.ts',
  },
  {
    name: 'a tool is listed for a bound key by its scopes alone',
    file: 'operation/can-use.ts',
    find: 'if (reachOf(caller)) requireUse(caller, access);',
    replace: 'if (reachOf(caller) && requireUse.length === 0) requireUse(caller, access);',
    test: 'spec/document-tools.test.ts',
  },
  {
    name: 'the result of a document over REST is never an error of its mutation',
    file: 'rest/published/operation.ts',
    find: 'throwsErrors: published.throwsErrors,',
    replace: 'throwsErrors: false,',
    test: 'spec/document-fuzz.test.ts',
  },
];
