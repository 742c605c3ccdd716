import type { Mutant } from './mutant.ts';

const FILES = 'domain/actions/result-files.ts';
const STORE = 'domain/files/store-received.ts';
const TEST = 'spec/result-files.test.ts';
const HOSTILE_TEST = 'spec/hostile-result-files.test.ts';

/** Guards of the files of tool results. */
export const RESULT_FILES: readonly Mutant[] = [
  {
    name: 'a tool result has any number of files',
    file: FILES,
    find: 'if (index >= LIMITS.resultFiles)',
    replace: 'if (index < 0)',
    test: HOSTILE_TEST,
  },
  {
    name: 'a file of a tool result has any size',
    file: FILES,
    find: 'if (decodedLength(base64) > LIMITS.resultFileBytes)',
    replace: 'if (decodedLength(base64) < 0)',
    test: HOSTILE_TEST,
  },
  {
    name: 'a picture of a tool result has any number of pixels',
    file: FILES,
    find: 'if (Math.max(width, height) <= LIMITS.resultPictureSide)',
    replace: 'if (Math.max(width, height) > 0)',
    test: HOSTILE_TEST,
  },
  {
    name: 'a tool result calls any file a picture',
    file: FILES,
    find: "(kind !== 'resource' && !mimeType.startsWith(`${kind}/`))",
    replace: 'false',
    test: HOSTILE_TEST,
  },
  {
    name: 'a drawing with scripts is a file of a tool result',
    file: 'domain/files/file-type.ts',
    find: "!type.startsWith('image/') && (isText(type)",
    replace: "(type.startsWith('image/') || isText(type)",
    test: HOSTILE_TEST,
  },
  {
    name: 'files of tool results take any space',
    file: STORE,
    find: 'await requireSpace(ctx, tx, data);',
    replace: '',
    test: TEST,
  },
  {
    name: 'a file of a turn that the service continues counts for nobody',
    file: STORE,
    find: 'return run?.share_key ?? null;',
    replace: 'return run ? null : null;',
    test: TEST,
  },
  {
    name: 'no conversation uses the files of its tool results',
    file: 'domain/agent/run/move-run.ts',
    find: '${usedFiles(ctx, results)}',
    replace: '',
    test: TEST,
  },
  {
    name: 'a fork loses the files of tool results',
    file: 'domain/conversations/fork-line.ts',
    find: "'$.files[*].file_uri'",
    replace: "'$.others[*].file_uri'",
    test: TEST,
  },
  {
    name: 'files of tool results are in the results of every provider',
    file: 'model/place-files.ts',
    find: "inResults.size > 0 && part.output.type === 'json' &&",
    replace: '',
    test: TEST,
  },
  {
    name: 'a response of an MCP tool has 8 MiB of small values',
    file: 'model/mcp/session.ts',
    find: 'return cost.structureBytes > LIMITS.mcpStructureBytes ? TOO_MUCH : undefined;',
    replace: 'return cost.structureBytes < 0 ? TOO_MUCH : undefined;',
    test: 'spec/hostile-mcp.test.ts',
  },
];
