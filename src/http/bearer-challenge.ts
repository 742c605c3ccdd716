import { ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { DEFAULT_APP_SCOPES } from '../contract/scopes.ts';

const NAME = 'WWW-Authenticate';

/** The header of a request without valid credentials, as `headersOfError` writes it. */
const PLAIN = 'Bearer';

/**
 * Adds to each `WWW-Authenticate` of a response where apps learn how to get a token (RFC 9728). It is a method of the
 * responses of the app, so it costs nothing for other responses.
 */
export function explainBearer(app: Express, publicUrl: string): void {
  const { writeHead } = ServerResponse.prototype;
  const metadataOf = ({ originalUrl }: Request) => {
    const path = /^\/mcp(\?|$)/.test(originalUrl) ? '/mcp' : '';
    return `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${path}"`;
  };
  const explained = (value: unknown, request: Request) => {
    if (value === PLAIN) return `${PLAIN} ${metadataOf(request)}, scope="${DEFAULT_APP_SCOPES.join(' ')}"`;
    return `${value}, ${metadataOf(request)}`;
  };
  const isChallenge = (value: unknown) => value === PLAIN || String(value).startsWith(`${PLAIN} error=`);
  app.response.writeHead = function (this: Response, status: number, ...rest: readonly unknown[]) {
    const headers = rest.find((each) => typeof each === 'object' && each !== null) as Record<string, unknown>;
    // Only the operator has this token.
    const isOperators = /^\/metrics(\?|$)/.test(this.req.originalUrl);
    const given = Object.keys(headers ?? {}).find((name) => name.toLowerCase() === NAME.toLowerCase());
    if (isOperators) return writeHead.call(this, status, ...(rest as [])) as Response;
    if (given !== undefined && isChallenge(headers[given])) headers[given] = explained(headers[given], this.req);
    else if (isChallenge(this.getHeader(NAME))) this.setHeader(NAME, explained(this.getHeader(NAME), this.req));
    return writeHead.call(this, status, ...(rest as [])) as Response;
  } as Response['writeHead'];
}
