import type { Mutant } from './mutant.ts';

const STREAM = 'model/reply/stream.ts';
const EVENTS = 'model/reply/events.ts';
const STEP = 'model/provider-step.ts';
const REPLY = 'model/reply/provider-reply.ts';
const MCP_NAMES = 'domain/actions/mcp-tool-names.ts';
const PROTOCOL = 'model/reply-protocol.test.ts';

/** Guards against what a provider sends, and against slow readers. */
export const MODELS: readonly Mutant[] = [
  {
    name: 'the query of a base URL is lost',
    file: 'model/provider-fetch.ts',
    find: '`${String(input)}${search}`',
    replace: 'input',
    test: 'model/base-urls.test.ts',
  },
  {
    name: 'an Office document unpacks to any size',
    file: 'model/office-text.ts',
    find: 'uncompressedBytes: LIMITS.officeUncompressedBytes,',
    replace: 'uncompressedBytes: 4 * LIMITS.officeUncompressedBytes,',
    test: 'model/office-files.test.ts',
  },
  {
    name: 'an Office document contains any number of files',
    file: 'model/office-text.ts',
    find: 'entries: LIMITS.officeEntries,',
    replace: 'entries: 10 * LIMITS.officeEntries,',
    test: 'model/office-files.test.ts',
  },
  {
    name: 'an event of a provider can have any length',
    file: EVENTS,
    find: 'maxBufferSize: LIMITS.providerEventLength,',
    replace: '',
    test: PROTOCOL,
  },
  {
    name: 'a response of a provider can have any length',
    file: STREAM,
    find: "if (this.#bytesLeft < 0) this.#fail(unreadable('The reply is too long.'));",
    replace: '',
    test: PROTOCOL,
  },
  {
    name: 'a complete reply waits for the end of its response',
    file: REPLY,
    find: ' || this.#reader.isComplete) this.#close(sink);',
    replace: ') this.#close(sink);',
    test: PROTOCOL,
  },
  {
    name: 'an error instead of a reply is not repeated',
    file: STEP,
    find: 'throw thrown instanceof Error ? thrown : rejectionOf(thrown);',
    replace: 'throw thrown;',
    test: PROTOCOL,
  },
  {
    name: 'the text before an error of the same delivery is lost',
    file: REPLY,
    find: 'this.#fault = { thrown };',
    replace: 'throw thrown;',
    test: 'model/provider-faults.test.ts',
  },
  {
    name: 'a call whose pieces contradict each other runs',
    file: 'model/reply/calls.ts',
    find: 'if (isContradictory) return { ...call, problem: CONTRADICTION };',
    replace: '',
    test: 'model/reply-dialects.test.ts',
  },
  {
    name: 'an unknown finish reason ends a reply',
    file: 'model/reply/ends.ts',
    find: 'else if (this.#word === undefined) throwValue({ finish_reason: word });',
    replace: 'else this.#word = word;',
    test: 'model/reply-dialects.test.ts',
  },
  {
    name: 'a number beyond 2^53 is rounded',
    file: 'model/provider-tools.ts',
    find: 'if (number !== undefined) {',
    replace: 'if (number === null) {',
    test: 'model/reply-dialects.test.ts',
  },
  {
    name: 'a finished reply is lost with its connection',
    file: REPLY,
    find: 'if (!this.#reader.isFinished) this.#fault',
    replace: 'this.#fault',
    test: 'model/reply-dialects.test.ts',
  },
  {
    name: 'neighbouring messages of a role are not merged',
    file: 'model/strict-messages.ts',
    find: 'if (last?.role === message.role) strict',
    replace: 'if (!last) strict',
    test: 'model/strict-messages.test.ts',
  },
  {
    name: 'two tools of an MCP server get the same name for the model',
    file: MCP_NAMES,
    find: '(cleaned(name) === name || counts.get(cleaned(name)) === 1)',
    replace: 'counts.size > 0',
    test: 'domain/mcp-tool-names.test.ts',
  },
  {
    name: 'a tool of an MCP server takes the name of another one with its suffix',
    file: MCP_NAMES,
    find: 'if (!taken.has(`${beginning}_${suffix}`)) return',
    replace: 'return',
    test: 'domain/mcp-tool-names.test.ts',
  },
  {
    name: 'the name of a tool of an MCP server is longer than providers accept',
    file: MCP_NAMES,
    find: 'called.slice(0, LIMITS.toolNameLength - 1 - SUFFIX_LENGTH)',
    replace: 'called',
    test: 'domain/mcp-tool-names.test.ts',
  },
  {
    name: 'names of tools of an MCP server depend on the order of its list',
    file: MCP_NAMES,
    find: '[...new Set(names)].sort()',
    replace: '[...new Set(names)]',
    test: 'domain/mcp-tool-names.test.ts',
  },
  {
    name: 'a tool of an MCP server that no workflow can name is offered',
    file: 'domain/actions/mcp-tools.ts',
    find: "ownName === '' || ownName.length > LIMITS.mcpToolNameLength || ",
    replace: '',
    test: 'spec/mcp-tools.test.ts',
  },
  {
    name: 'the model does not learn that bytes of a response were not readable',
    file: 'domain/actions/http-action.ts',
    find: '...(!isExact && { note: UNKNOWN_ENCODING })',
    replace: '',
    test: 'spec/http-actions.test.ts',
  },
  {
    name: 'a client of HTTP/1.0 gets chunks',
    file: 'http/shared-chunk.ts',
    find: ' || !response.chunkedEncoding',
    replace: '',
    test: 'http/shared-chunk.test.ts',
  },
  {
    name: 'a subscriber that does not read stays connected',
    file: 'operation/slow-consumer.ts',
    find: 'for (const guard of unread) guard.check(now);',
    replace: '',
    test: 'spec/event-transports.test.ts',
  },
];
