import { DEFAULT_APP_SCOPES, END_USER_SCOPES, SCOPES, type Scope } from '../../contract/scopes.ts';

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
export function invalidParameter(
  query: URLSearchParams,
  isResource: (resource: string) => boolean,
): string | undefined {
  if (query.get('response_type') !== 'code') return 'response_type';
  if (query.get('code_challenge_method') !== 'S256') return 'code_challenge_method';
  if (!/^[\w-]{43}$/.test(query.get('code_challenge') ?? '')) return 'code_challenge';
  if (query.getAll('resource').some((resource) => !isResource(resource))) return 'resource';
  return [...PARAMETERS].find((name) => name !== 'resource' && query.getAll(name).length > 1);
}

/** The scopes that an app can have for a resource. */
export interface ResourceScopes {
  readonly all: readonly Scope[];
  readonly byDefault: readonly Scope[];
}

export const MEMBER_SCOPES: ResourceScopes = { all: SCOPES, byDefault: DEFAULT_APP_SCOPES };
export const USER_SCOPES: ResourceScopes = { all: END_USER_SCOPES, byDefault: END_USER_SCOPES };

/**
 * The query of an authorization request with the scopes of the resource. An app that asks for no scope, or only for others,
 * gets the default.
 */
export function authorizationQuery(query: URLSearchParams, { all, byDefault }: ResourceScopes): string {
  const kept = [...query].filter(([name]) => PARAMETERS.has(name));
  const asked = new Set(query.getAll('scope').flatMap((value) => value.split(' ')));
  const known = all.filter((scope) => asked.has(scope));
  const scope = (known.length > 0 ? known : byDefault).join(' ');
  return new URLSearchParams([...kept, ['scope', scope]]).toString();
}
