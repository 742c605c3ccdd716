import { LIMITS } from '../../contract/limits.ts';
import type { Header } from '../../shapes/headers.ts';
import type { ConnectedIntegration } from '../integrations/use.ts';
import type { HttpAction } from '../workflows/config.ts';
import { filledTemplate, InvalidUrlValueError, placeholdersOf } from '../workflows/url-template.ts';
import { ActionError } from './action-error.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A call of an HTTP action. */
export interface HttpActionCall {
  /** The server can use it to recognize a request that it has already received. */
  readonly callId: string;
  readonly arguments: Arguments;
}

/** The request that is sent. */
export interface ActionRequest {
  readonly url: string;
  readonly method: HttpAction['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/**
 * Distributes the arguments. Those that the URL names go into the URL. The others go into the query of a GET or DELETE
 * request, or into the JSON body of other requests.
 * @throws {ActionError}
 */
export function requestOf(
  action: HttpAction,
  integration: ConnectedIntegration | undefined,
  { callId, arguments: args }: HttpActionCall,
): ActionRequest {
  const { method } = action;
  const inUrl = new Set(placeholdersOf(action.url));
  const others = Object.entries(args).filter(([name]) => !inUrl.has(name));
  const url = urlOf(action, integration, args);
  const named: Header[] = [
    { name: 'accept', value: 'application/json, text/*;q=0.9, */*;q=0.1' },
    { name: 'idempotency-key', value: callId },
  ];
  if (BODILESS.has(method)) {
    for (const [name, value] of others) for (const one of queryValues(value)) url.searchParams.append(name, one);
  } else {
    named.push({ name: 'content-type', value: 'application/json' });
  }
  if (url.href.length > LIMITS.fileUriLength) throw new ActionError('The arguments are too long for a URL.');
  const headers = headersOf([...named, ...action.headers, ...(integration?.headers ?? [])]);
  if (BODILESS.has(method)) return { url: url.href, method, headers };
  return { url: url.href, method, headers, body: JSON.stringify(Object.fromEntries(others)) };
}

/** The headers to send. Of equal names the last one applies. */
export function headersOf(headers: readonly Header[]): Record<string, string> {
  const agent = ['user-agent', 'Parley-Actions/1'] as const;
  return Object.fromEntries([agent, ...headers.map(({ name, value }) => [name.toLowerCase(), value] as const)]);
}

function urlOf(action: HttpAction, integration: ConnectedIntegration | undefined, args: Arguments): URL {
  try {
    const filled = filledTemplate(action.url, args);
    return integration ? appendToBase(new URL(integration.url), filled) : new URL(filled);
  } catch (error) {
    if (error instanceof InvalidUrlValueError) throw new ActionError(error.message);
    throw error;
  }
}

/** Sets path and query separately from the host, so that arguments cannot change the host. */
function appendToBase(base: URL, filled: string): URL {
  const cut = filled.indexOf('?');
  const path = cut < 0 ? filled : filled.slice(0, cut);
  const query = cut < 0 ? '' : filled.slice(cut + 1);
  if (path !== '') base.pathname = `${base.pathname.replace(/\/$/, '')}${path}`;
  base.search = [base.search.slice(1), query].filter((part) => part !== '').join('&');
  base.hash = '';
  return base;
}

function queryValues(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item) => (Array.isArray(item) ? JSON.stringify(item) : queryValues(item)));
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}
