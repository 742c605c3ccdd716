import type { Mutant } from './mutant.ts';

const STREAM = 'model/reply/stream.ts';
const EVENTS = 'model/reply/events.ts';
const STEP = 'model/provider-step.ts';
const REPLY = 'model/reply/provider-reply.ts';
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
