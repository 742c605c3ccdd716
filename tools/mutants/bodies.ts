import type { Mutant } from './mutant.ts';

const BODY = 'http/body/body.ts';
const RECEIVE = 'http/body/receive.ts';
const UNFINISHED = 'http/body/unfinished-bodies.ts';
const UNREAD = 'http/unread-bodies.test.ts';
const PACKED = 'http/packed-bodies.test.ts';
const SCAN = 'operation/json-scan.test.ts';
const LENGTH = 'graphql/document-length.test.ts';

/** Guards of request bodies and of memory: what strangers can make the service do before it knows them. */
export const BODIES: readonly Mutant[] = [
  {
    name: 'a body of a stranger inflates like that of a known caller',
    file: BODY,
    find: 'identity.caller ? limit : LIMITS.strangerInflatedBytes',
    replace: 'identity.caller ? limit : limit',
    test: PACKED,
  },
  {
    name: 'the announced length of a body is ignored',
    file: RECEIVE,
    find: 'buffer.expect(announcedLength(request));',
    replace: 'buffer.expect(Math.min(0, announcedLength(request) ?? 0));',
    test: UNREAD,
  },
  {
    name: 'the chunks of a body are not counted',
    file: 'http/body/body-buffer.ts',
    find: '    this.#requireRoom(size);',
    replace: '',
    test: UNREAD,
  },
  {
    name: 'a body can arrive in any number of pieces',
    file: RECEIVE,
    find: 'if (pieces > LIMITS.bodyPieces) throw tooManyPieces();',
    replace: 'if (pieces < 0) throw tooManyPieces();',
    test: PACKED,
  },
  {
    name: 'a body has no time limit',
    file: RECEIVE,
    find: 'setTimeout(() => request.destroy(), LIMITS',
    replace: 'setTimeout(() => {}, LIMITS',
    test: PACKED,
  },
  {
    name: 'a body is requested before the service knows whether it reads it',
    file: 'http/server.ts',
    find: "return server.on('checkContinue', handler);",
    replace: 'return server;',
    test: UNREAD,
  },
  {
    name: 'the body of a request is read although nobody needs it',
    file: 'http/body/close-unread.ts',
    find: 'response.shouldKeepAlive = false;',
    replace: '',
    test: UNREAD,
  },
  {
    name: 'unfinished bodies of an address have no limit',
    file: UNFINISHED,
    find: 'if (mine > ofAddress) {',
    replace: 'if (mine < 0) {',
    test: PACKED,
  },
  {
    name: 'unfinished bodies of a process have no limit',
    file: UNFINISHED,
    find: 'if (this.#total + bytes > ofProcess) {',
    replace: 'if (this.#total + bytes < 0) {',
    test: PACKED,
  },
  {
    name: 'the bytes of a body are released twice',
    file: UNFINISHED,
    find: '        held = 0;',
    replace: '',
    test: PACKED,
  },
  {
    name: 'the bytes of a rejected body are not released',
    file: BODY,
    find: '    share.leave();',
    replace: '',
    test: PACKED,
  },
  {
    name: 'unknown paths are not counted',
    file: 'http/unrouted.ts',
    find: 'await count(request);\n  throw',
    replace: 'throw',
    test: UNREAD,
  },
  {
    name: 'Yoga reads the body of a rejected request',
    file: 'graphql/server/server.ts',
    find: 'maxRequestBodySize: false,',
    replace: '',
    test: UNREAD,
  },
  {
    name: 'JSON can have any number of keys',
    file: 'operation/json-scan.ts',
    find: 'if (this.#keys > jsonKeys)',
    replace: 'if (this.#keys < 0)',
    test: SCAN,
  },
  {
    name: 'JSON can have any number of values',
    file: 'operation/json-scan.ts',
    find: 'if (this.#values > jsonValues)',
    replace: 'if (this.#values < 0)',
    test: SCAN,
  },
  {
    name: 'a GraphQL document can have any length',
    file: 'graphql/server/request-params.ts',
    find: '          requireLength(params);\n',
    replace: '',
    test: LENGTH,
  },
  {
    name: 'a cache counts only its entries',
    file: 'cache/bounded-cache.ts',
    find: 'size: Math.ceil(2 * key.length + bytes) + ENTRY_BYTES',
    replace: 'size: 1 + 0 * bytes',
    test: LENGTH,
  },
  {
    name: 'only the first credential of a repeated header is read',
    file: 'operation/identify.ts',
    find: "authorization: exchange.headerValues('authorization'),",
    replace: "authorization: exchange.headerValues('authorization').slice(0, 1),",
    test: 'spec/credentials.test.ts',
  },
  {
    name: 'the content of a request of a stranger counts only until it is parsed',
    file: 'http/body/body.ts',
    find: 'isStranger(identity.caller) && request.res',
    replace: 'false && request.res',
    test: 'http/held-bodies.test.ts',
  },
  {
    name: 'any number of responses to strangers wait for their clients',
    file: 'operation/pipeline.ts',
    find: "plan.kind === 'query' && isStranger(context.caller)",
    replace: 'false',
    test: 'http/read-places.test.ts',
  },
  {
    name: 'a read of a stranger waits without an end',
    file: 'operation/read-places.ts',
    find: 'const timer = setTimeout(refuse, LIMITS.strangerReadSeconds * 1_000);',
    replace: 'const timer = setTimeout(refuse, 2 ** 30);',
    test: 'http/read-places.test.ts',
  },
  {
    name: 'pipelined requests run at the same time',
    file: 'http/one-at-a-time.ts',
    find: 'const waiting = connections.get(socket);',
    replace: 'const waiting = undefined as Waiting | undefined;',
    test: 'http/pipelining.test.ts',
  },
  {
    name: 'pipelined requests of a closed connection run',
    file: 'http/one-at-a-time.ts',
    find: 'else if (socket.writable) start',
    replace: 'else start',
    test: 'http/pipelining.test.ts',
  },
  {
    name: 'a connection has any number of waiting requests',
    file: 'http/one-at-a-time.ts',
    find: 'waiting.length < LIMITS.pipelinedRequests',
    replace: 'waiting',
    test: 'http/pipelining.test.ts',
  },
  {
    name: 'a refused caller keeps its connection',
    file: 'operation/mask.ts',
    find: "...(status === TOO_MANY_REQUESTS && { Connection: 'close' }),",
    replace: '',
    test: 'http/pipelining.test.ts',
  },
  {
    name: 'the store counts the requests of refused callers',
    file: 'db/rate-limiter.ts',
    find: 'if (endsAt > performance.now()) return',
    replace: 'if (endsAt > Number.POSITIVE_INFINITY) return',
    test: 'db/rate-limiter.test.ts',
  },
  {
    name: 'the files of pages are not counted',
    file: 'pages/file.ts',
    find: 'if (!isKnown) await countFileTraffic(request, content.length);',
    replace: '',
    test: 'pages/file-traffic.test.ts',
  },
  {
    name: 'the texts of a message have no limit together',
    file: 'domain/message-content.ts',
    find: 'lengthOf(parts) <= LIMITS.messageTextLength',
    replace: 'lengthOf(parts) >= 0',
    test: 'spec/content-limits.test.ts',
  },
];
