import { DEFAULT_APP_SCOPES, SCOPES } from '../../contract/scopes.ts';

/** The parameters that the service supports. Others belong to extensions and to OpenID Connect, and are ignored. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'redirect_uri',
  'resource',
  'response_type',
  'state',
]);

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
