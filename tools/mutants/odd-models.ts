import type { Mutant } from './mutant.ts';

/** Guards against what providers and MCP servers send although no protocol allows it. */
export const ODD_MODELS: readonly Mutant[] = [
  {
    name: 'broken HTTP of a provider counts as an unreachable one',
    file: 'model/error-message.ts',
    find: '    if (isNotHttp(cause)) return UNREADABLE;\n',
    replace: '',
    test: 'spec/broken-providers.test.ts',
  },
  {
    name: 'broken HTTP within a reply counts as a failure of the provider',
    file: 'model/error-message.ts',
    find: '  if (isNotHttp(fault)) return UNREADABLE;\n',
    replace: '',
    test: 'spec/broken-providers.test.ts',
  },
  {
    name: 'an object as the code of an error is another failure',
    file: 'model/rejection.ts',
    find: ".filter((word) => typeof word === 'string')",
    replace: '',
    test: 'model/rejections.test.ts',
  },
  {
    name: 'an error of any length is kept',
    file: 'model/rejection.ts',
    find: '.slice(0, LIMITS.providerErrorBytes)',
    replace: '',
    test: 'model/rejections.test.ts',
  },
  {
    name: 'the name of a tool that does not exist goes back unchanged',
    file: 'model/provider-prompt.ts',
    find: "name.replace(/[^\\w-]/g, '_').slice(0, LIMITS.toolNameLength);",
    replace: 'name;',
    test: 'spec/odd-tool-names.test.ts',
  },
  {
    name: 'a signature of any type is kept',
    file: 'model/reply/messages-reply.ts',
    find: 'const signed = optionalText(signature);',
    replace: 'const signed = signature as string;',
    test: 'model/hostile-replies.test.ts',
  },
  {
    name: 'arguments can have any number of levels',
    file: 'model/provider-tools.ts',
    find: 'if (isTooComplex(text)) {',
    replace: 'if (text.length < 0) {',
    test: 'model/hostile-replies.test.ts',
  },
];
