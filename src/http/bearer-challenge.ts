import { ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { deploymentOfPath } from '../contract/apps/deployment-resource.ts';
import { DEFAULT_APP_SCOPES, END_USER_SCOPES } from '../contract/scopes.ts';

const NAME = 'WWW-Authenticate';

/** The header of a request without valid credentials, as `headersOfError` writes it. */
const PLAIN = 'Bearer';

/** The header of a request without a scope. */
const INSUFFICIENT = `${PLAIN} error=`;

/**
 * Adds to each `WWW-Authenticate` of a response where apps learn how to get a token (RFC 9728). It is a method of the
 * responses of the app, so that requests need no function of their own for it.
 */
export function explainBearer(app: Express, publicUrl: string): void {
  const { writeHead } = ServerResponse.prototype;
  const explained = (value: string, { originalUrl }: Request) => {
    // Only the operator has the token of this path.
    if (/^\/metrics(\?|$)/.test(originalUrl)) return value;
    const [pathname = ''] = originalUrl.split('?');
    const ofEndUsers = deploymentOfPath(pathname) !== undefined;
    const path = ofEndUsers || pathname === '/mcp' ? pathname : '';
    const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${path}"`;
    const scopes = ofEndUsers ? END_USER_SCOPES : DEFAULT_APP_SCOPES;
    if (value === PLAIN) return `${PLAIN} ${metadata}, scope="${scopes.join(' ')}"`;
    return value.startsWith(INSUFFICIENT) ? `${value}, ${metadata}` : value;
  };
  app.response.writeHead = function (this: Response, status: number, ...rest: readonly unknown[]) {
    if (status === 401 || status === 403) explainIn(this, rest, (value) => explained(value, this.req));
    return writeHead.call(this, status, ...(rest as [])) as Response;
  } as Response['writeHead'];
}

/** The header is set on the response, or is one of the headers in the arguments of `writeHead`. */
function explainIn(response: Response, args: readonly unknown[], explain: (value: string) => string): void {
  const given = args.find((each) => typeof each === 'object' && each !== null) as Record<string, unknown> | undefined;
  const name = Object.keys(given ?? {}).find((each) => each.toLowerCase() === NAME.toLowerCase());
  if (given && name !== undefined) given[name] = explain(String(given[name]));
  else if (response.hasHeader(NAME)) response.setHeader(NAME, explain(String(response.getHeader(NAME))));
}
