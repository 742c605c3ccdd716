import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import {
  ERAS,
  type Era,
  headersOf,
  lastMessage,
  META,
  type Members,
  MODERN_VERSION,
  messageOf,
  sendRaw,
} from '../support/mcp-messages.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The status, and the code of an error. */
type Outcome = readonly [status: number, code?: number | string];

/** A request that the protocol does not describe, or forbids, with the response of both eras or of each. */
interface Case {
  readonly name: string;
  readonly message?: Members;
  /** Replaces the message. A text is sent as it is; null sends no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly outcome: Outcome | Readonly<Record<Era, Outcome>>;
}

const { ParseError, InvalidRequest, InvalidParams, MethodNotFound, HeaderMismatch, UnsupportedProtocolVersion } = {
  ...ProtocolErrorCode,
  HeaderMismatch: -32020,
} as const;
/** The package gives it to errors of HTTP in the earlier era. */
const HTTP_ERROR = -32000;

const OK = [200] as const;
const UNSUPPORTED_TYPE = [415, 'unsupported_media_type'] as const;
const call = (params: Members): Members => ({ method: 'tools/call', params });
const list = (params: Members): Members => ({ params });
const only = (era2025: Outcome, era2026: Outcome) => ({ 2025: era2025, 2026: era2026 });
const LONG = 'x'.repeat(LIMITS.mcpNameLength + 1);

const CASES: readonly Case[] = [
  { name: 'no parameters', outcome: OK },
  { name: 'null as its parameters', message: { params: null }, outcome: only(OK, [400, InvalidParams]) },
  { name: 'parameters that are text', message: { params: 'a' }, outcome: [400, InvalidParams] },
  { name: 'null as the cursor', message: list({ cursor: null }), outcome: OK },
  { name: 'an empty cursor', message: list({ cursor: '' }), outcome: OK },
  { name: 'a number as the cursor', message: list({ cursor: 5 }), outcome: [400, InvalidParams] },
  { name: 'a long cursor', message: list({ cursor: LONG }), outcome: [400, InvalidParams] },
  { name: 'null as `_meta`', message: list({ _meta: null }), outcome: only(OK, [400, InvalidParams]) },
  { name: 'an empty `_meta`', message: list({ _meta: {} }), outcome: only(OK, [400, InvalidParams]) },
  { name: 'text as `_meta`', message: list({ _meta: 'a' }), outcome: [400, InvalidParams] },
  {
    name: 'null as the progress token',
    message: list({ _meta: { ...META, progressToken: null } }),
    // A client of 2025 that names the other revision in `_meta`, but not in its header.
    outcome: only([400, HeaderMismatch], OK),
  },
  {
    name: 'a revision that is not supported',
    message: list({ _meta: { ...META, [PROTOCOL_VERSION_META_KEY]: '2099-01-01' } }),
    headers: { 'mcp-protocol-version': '2099-01-01' },
    outcome: [400, UnsupportedProtocolVersion],
  },
  {
    name: 'capabilities that are text',
    message: list({ _meta: { ...META, [CLIENT_CAPABILITIES_META_KEY]: 'a' } }),
    outcome: [400, InvalidParams],
  },
  { name: 'no arguments', message: call({ name: 'list_resources' }), outcome: OK },
  { name: 'null as its arguments', message: call({ name: 'list_resources', arguments: null }), outcome: OK },
  {
    name: 'a list as its arguments',
    message: call({ name: 'list_resources', arguments: [] }),
    outcome: [200, InvalidParams],
  },
  { name: 'null as the name of a tool', message: call({ name: null }), outcome: [200, InvalidParams] },
  { name: 'the name of no tool', message: call({ name: 'drop_tables' }), outcome: [200, InvalidParams] },
  { name: 'null as its ID', message: { id: null }, outcome: [400, InvalidRequest] },
  { name: 'an object as its ID', message: { id: {} }, outcome: [400, InvalidRequest] },
  { name: 'a fraction as its ID', message: { id: 1.5 }, outcome: [400, InvalidRequest] },
  { name: 'the largest exact ID', message: { id: Number.MAX_SAFE_INTEGER }, outcome: OK },
  { name: 'an ID that is not exact', message: { id: 2 ** 70 }, outcome: [400, InvalidRequest] },
  { name: 'an empty ID', message: { id: '' }, outcome: OK },
  { name: 'a long ID', message: { id: LONG }, outcome: [400, InvalidRequest] },
  { name: 'another version of JSON-RPC', message: { jsonrpc: '1.0' }, outcome: [400, InvalidRequest] },
  { name: 'null as its method', message: { method: null }, outcome: [400, InvalidRequest] },
  {
    name: 'an unknown method',
    message: { method: 'tools/drop' },
    outcome: only([200, MethodNotFound], [404, MethodNotFound]),
  },
  { name: 'a method of the earlier era', message: { method: 'ping' }, outcome: only(OK, [404, MethodNotFound]) },
  {
    name: 'a method of the later era',
    message: { method: 'server/discover' },
    outcome: only([200, MethodNotFound], OK),
  },
  {
    name: 'a notification with an unknown method',
    message: { id: undefined, method: 'notifications/other' },
    outcome: [202],
  },
  { name: 'a cancellation of nothing', message: { id: undefined, method: 'notifications/cancelled' }, outcome: [202] },
  {
    name: '`initialize` without parameters',
    message: { method: 'initialize' },
    outcome: only([400, InvalidParams], [404, MethodNotFound]),
  },
  {
    name: '`initialize` with another revision',
    message: {
      method: 'initialize',
      params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
    outcome: only(OK, [404, MethodNotFound]),
  },
  { name: 'any accepted type', headers: { accept: '*/*' }, outcome: OK },
  { name: 'ranges of accepted types', headers: { accept: 'application/*, text/*;q=0.5' }, outcome: OK },
  // `fetch` adds `*/*` if a request has no header.
  { name: 'no accepted type', headers: { accept: '' }, outcome: OK },
  { name: 'only JSON accepted', headers: { accept: 'application/json' }, outcome: OK },
  {
    name: 'an unknown version',
    headers: { 'mcp-protocol-version': '1999-01-01' },
    outcome: only([400, HTTP_ERROR], [400, HeaderMismatch]),
  },
  {
    name: 'an earlier version',
    headers: { 'mcp-protocol-version': '2025-06-18' },
    outcome: only(OK, [400, HeaderMismatch]),
  },
  { name: 'no version', headers: { 'mcp-protocol-version': undefined }, outcome: only(OK, [400, HeaderMismatch]) },
  { name: 'another method in its header', headers: { 'mcp-method': 'ping' }, outcome: only(OK, [400, HeaderMismatch]) },
  {
    name: 'another tool in its header',
    message: call({ name: 'list_resources' }),
    headers: { 'mcp-name': 'read_resource' },
    outcome: only(OK, [400, HeaderMismatch]),
  },
  { name: 'an unknown session', headers: { 'mcp-session-id': 'unknown' }, outcome: OK },
  { name: 'a charset', headers: { 'content-type': 'application/json; charset=utf-8' }, outcome: OK },
  { name: 'another content type', headers: { 'content-type': 'text/plain' }, outcome: UNSUPPORTED_TYPE },
  { name: 'no body', body: null, outcome: [400, ParseError] },
  { name: 'an empty body', body: '', outcome: [400, ParseError] },
  { name: 'a body that is not JSON', body: '{', outcome: [400, ParseError] },
  { name: 'the JSON value null', body: 'null', outcome: [400, InvalidRequest] },
  { name: 'a JSON text', body: '"a"', outcome: [400, InvalidRequest] },
  { name: 'a batch', body: [messageOf('2025'), messageOf('2025')], outcome: [400, InvalidRequest] },
  { name: 'an empty batch', body: [], outcome: [400, InvalidRequest] },
  { name: 'a deep body', body: `${'['.repeat(5_000)}${']'.repeat(5_000)}`, outcome: [400, InvalidRequest] },
];

describe.each(ERAS)('a request of a client of %s', (era) => {
  it.each(CASES)('with $name', async ({ message, body, headers, outcome }) => {
    const own = messageOf(era, message);
    const sent = body === undefined ? own : (body ?? undefined);
    const response = await sendRaw(service.url, service.keys.live, {
      body: sent,
      headers: { ...headersOf(era, own), ...headers },
    });
    const answer = await lastMessage(response);
    const expected = era in outcome ? (outcome as Record<Era, Outcome>)[era] : (outcome as Outcome);
    expect([response.status, ...[answer?.error?.code].filter((code) => code !== undefined)]).toEqual(expected);
    if (!expected[1] && expected[0] === 200) expect(answer).toMatchObject({ jsonrpc: '2.0', id: own.id });
    expect(JSON.stringify(answer ?? '')).not.toContain('"code":-32603');
  });
});

describe('an unsupported version', () => {
  it('has the supported versions in its error', async () => {
    const later = { ...META, [PROTOCOL_VERSION_META_KEY]: '2099-01-01' };
    const body = messageOf('2026', { params: { _meta: later } });
    const headers = { ...headersOf('2026', body), 'mcp-protocol-version': '2099-01-01' };
    const { error } = await lastMessage(await sendRaw(service.url, service.keys.live, { body, headers }));
    expect(error.data).toEqual({ supported: [MODERN_VERSION], requested: '2099-01-01' });
    const earlier = { ...headersOf('2025', undefined), 'mcp-protocol-version': '1999-01-01' };
    const response = await sendRaw(service.url, service.keys.live, { body: messageOf('2025'), headers: earlier });
    expect((await lastMessage(response)).error.message).toContain('supported versions: 2025-11-25, 2025-06-18');
  });
});
