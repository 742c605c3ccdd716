import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { HttpResponse } from './client.ts';

/** The eras of the protocol: until 2025-11-25 with `initialize`, and from 2026-07-28 without state. */
export const ERAS = ['2025', '2026'] as const;
export type Era = (typeof ERAS)[number];

export const MODERN_VERSION = '2026-07-28';

export type Members = Readonly<Record<string, unknown>>;

/** What a client of 2026 sends with each message. */
export const META: Members = {
  [PROTOCOL_VERSION_META_KEY]: MODERN_VERSION,
  [CLIENT_INFO_META_KEY]: { name: 'parley-tests', version: '1.0.0' },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

const BOTH = 'application/json, text/event-stream';

export interface RawMessage {
  /** Undefined sends no body. */
  readonly body?: unknown;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A request in the form of an era. Its parameters can be anything. */
export function messageOf(era: Era, { params, ...message }: Members = {}): Members {
  const base = { jsonrpc: '2.0', id: 1, method: 'tools/list', ...message };
  if (era === '2025') return params === undefined ? base : { ...base, params };
  const isObject = typeof params === 'object' && params !== null;
  return { ...base, params: params === undefined || isObject ? { _meta: META, ...params } : params };
}

/** The headers of an era for a message. */
export function headersOf(era: Era, body: unknown): Record<string, string> {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown; taskId?: unknown } | null };
  const base = { 'content-type': 'application/json', accept: BOTH };
  if (era === '2025') return base;
  const names = { 'mcp-method': method, 'mcp-name': params?.name ?? params?.taskId };
  const texts = Object.entries(names).filter(([, value]) => typeof value === 'string');
  return { ...base, 'mcp-protocol-version': MODERN_VERSION, ...Object.fromEntries(texts) };
}

/** Sends a message without a client of the protocol. */
export function sendRaw(url: string, key: string, { body, headers = {} }: RawMessage): Promise<Response> {
  const sent = Object.entries({ authorization: `Bearer ${key}`, ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: Object.fromEntries(sent) as Record<string, string>,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** The last message of a response, of which JSON and event streams have one. */
export async function lastMessage(response: Response): Promise<HttpResponse['body']> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.includes('text/event-stream'))
    return text === '' ? undefined : JSON.parse(text);
  const [last = ''] = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .slice(-1);
  return JSON.parse(last.slice('data: '.length));
}
