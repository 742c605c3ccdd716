import type { Mutant } from './mutant.ts';

const PLAN = 'cli/configuration/plan.ts';
const READ = 'cli/configuration/read-file.ts';
const WORKFLOWS = 'cli/configuration/workflow-section.ts';
const CHANGES_TEST = 'cli/configuration-changes.test.ts';
const FILE_TEST = 'cli/configuration-file.test.ts';

/** Guards of configuration as code: what it may overwrite and remove, which secrets it shows, and bounds of the file. */
export const CONFIGURATION: readonly Mutant[] = [
  {
    name: 'apply overwrites a change that was made after the plan',
    file: WORKFLOWS,
    find: 'ifRevision: requiredId(context.revisions, name),',
    replace: '',
    test: CHANGES_TEST,
  },
  {
    name: 'apply removes without --prune',
    file: PLAN,
    find: 'const isRemoved = prune || file[section.name] === null;',
    replace: 'const isRemoved = true;',
    test: CHANGES_TEST,
  },
  {
    name: '--prune revokes the key of its own command',
    file: 'cli/configuration/access-sections.ts',
    find: "masked === api.maskedKey ? 'this command may use it' : undefined",
    replace: 'masked === undefined ? undefined : undefined',
    test: CHANGES_TEST,
  },
  {
    name: 'a pipeline prints new secrets',
    file: 'cli/configuration/secrets.ts',
    find: 'if (terminal.stdin.isTTY !== true) {',
    replace: 'if (terminal === undefined) {',
    test: CHANGES_TEST,
  },
  {
    name: 'apply starts although a variable is missing',
    file: 'cli/configuration/apply.ts',
    find: 'if (missing.length > 0) {',
    replace: 'if (missing.length > 1_000) {',
    test: CHANGES_TEST,
  },
  {
    name: 'a request whose response was lost has its effect twice',
    file: 'cli/configuration/api.ts',
    find: "...(idempotencyKey && { 'idempotency-key': idempotencyKey }),",
    replace: '',
    test: CHANGES_TEST,
  },
  {
    name: 'unknown fields of the file are ignored',
    file: READ,
    find: 'const unknown = unknownFields(configurationFile, value);',
    replace: 'const unknown = unknownFields(configurationFile, undefined);',
    test: FILE_TEST,
  },
  {
    name: 'the aliases of the file are not limited',
    file: READ,
    find: 'document.toJS({ maxAliasCount: FILE_LIMITS.aliases })',
    replace: 'document.toJS({ maxAliasCount: -1 })',
    test: FILE_TEST,
  },
  {
    name: 'the depth of the file is not limited before it is parsed',
    file: READ,
    find: 'if (brackets > FILE_LIMITS.depth || dashes > FILE_LIMITS.depth) throw tooDeep(name);',
    replace: '',
    test: FILE_TEST,
  },
];
