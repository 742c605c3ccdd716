import { DEFAULT_APP_SCOPES, SCOPES } from '../../contract/scopes.ts';

/** The parameters that the service supports. Others belong to extensions and to OpenID Connect, and are ignored. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'resource',
  'response_type',
  'state',
]);

/**
 * The parameter that no request of a working app has so. The library would report it to the app: anybody could send a browser
 * anywhere with such a link, because anybody can describe an app.
 */
export function invalidParameter(query: URLSearchParams, resources: readonly string[]): string | undefined {
  if (query.get('response_type') !== 'code') return 'response_type';
  if (query.get('code_challenge_method') !== 'S256') return 'code_challenge_method';
  if (!/^[\w-]{43}$/.test(query.get('code_challenge') ?? '')) return 'code_challenge';
  if (query.getAll('resource').some((resource) => !resources.includes(resource))) return 'resource';
  return [...PARAMETERS].find((name) => name !== 'resource' && query.getAll(name).length > 1);
}

/**
 * The query of an authorization request with the scopes of this service. An app that asks for no scope, or
 * only for others, gets the default.
 */
export function authorizationQuery(query: URLSearchParams): string {
  const kept = [...query].filter(([name]) => PARAMETERS.has(name));
  const asked = new Set(query.getAll('scope').flatMap((value) => value.split(' ')));
  const known = SCOPES.filter((scope) => asked.has(scope));
  const scope = (known.length > 0 ? known : DEFAULT_APP_SCOPES).join(' ');
  return new URLSearchParams([...kept, ['scope', scope]]).toString();
}
