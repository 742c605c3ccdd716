import { LIMITS } from '../../contract/limits.ts';
import type { Header } from '../headers-input.ts';
import type { ConnectedIntegration } from '../integrations/use.ts';
import type { HttpAction } from '../workflows/config.ts';
import { filledTemplate, placeholdersOf, UnfitValue } from '../workflows/url-template.ts';
import { ActionFailure } from './failure.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A request as it is sent. */
export interface ActionRequest {
  readonly url: string;
  readonly method: HttpAction['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/**
 * Puts the arguments where they belong: those that the address names into it, the others into the query of a GET or
 * DELETE, or as a JSON object into the body of any other.
 * @throws {ActionFailure}
 */
export function requestOf(
  action: HttpAction,
  integration: ConnectedIntegration | undefined,
  given: Arguments,
): ActionRequest {
  const { method } = action;
  const inUrl = new Set(placeholdersOf(action.url));
  const others = Object.entries(given).filter(([name]) => !inUrl.has(name));
  const url = urlOf(action, integration, given);
  const named: Header[] = [{ name: 'accept', value: 'application/json, text/*;q=0.9, */*;q=0.1' }];
  if (BODILESS.has(method)) {
    for (const [name, value] of others) for (const one of queryValues(value)) url.searchParams.append(name, one);
  } else {
    named.push({ name: 'content-type', value: 'application/json' });
  }
  if (url.href.length > LIMITS.fileUriLength) throw new ActionFailure('The arguments are too long for an address.');
  const headers = headersOf([...named, ...action.headers, ...(integration?.headers ?? [])]);
  if (BODILESS.has(method)) return { url: url.href, method, headers };
  return { url: url.href, method, headers, body: JSON.stringify(Object.fromEntries(others)) };
}

/** Headers as they are sent: of one name, the last counts. */
export function headersOf(headers: readonly Header[]): Record<string, string> {
  const agent = ['user-agent', 'Parley-Actions/1'] as const;
  return Object.fromEntries([agent, ...headers.map(({ name, value }) => [name.toLowerCase(), value] as const)]);
}

function urlOf(action: HttpAction, integration: ConnectedIntegration | undefined, given: Arguments): URL {
  try {
    const filled = filledTemplate(action.url, given);
    return integration ? behind(new URL(integration.url), filled) : new URL(filled);
  } catch (error) {
    if (error instanceof UnfitValue) throw new ActionFailure(error.message);
    throw error;
  }
}

/** Path and query are set apart from the host, so that nothing in them can reach it. */
function behind(base: URL, filled: string): URL {
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
