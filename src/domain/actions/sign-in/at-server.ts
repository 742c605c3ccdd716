import type { TimeBounds } from '../../../bounds/within-time.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Header } from '../../../shapes/headers.ts';
import { withoutClaim } from '../../access/caller-context.ts';
import type { Context } from '../../context.ts';
import { hasOwnCredentials } from '../../integrations/sign-in-state.ts';
import type { ConnectedIntegration } from '../../integrations/use.ts';
import { McpError } from '../mcp-port.ts';
import {
  accessToken,
  isUnsigned,
  REJECTED,
  readConnected,
  requireSignIn,
  type ServerRef,
  signInNeeded,
} from './access-token.ts';
import { readSignIn, writeSignIn } from './record.ts';
import { scopesIn } from './scopes.ts';
import { FURTHER_SCOPES, NEW_STATE } from './states.ts';

/** A request to an MCP server. */
export interface ServerRequest<T> {
  /** Requests with the same name need the same credentials. */
  readonly name: string;
  /** The limits of the request, with the time that it waits for a token. */
  readonly bounds: TimeBounds;
  /** Sends it within a time limit. */
  send(headers: readonly Header[], timeoutMs: number): Promise<T>;
}

/**
 * Sends a request to an MCP server with the headers of its integration and the access token of its sign-in. If the server
 * refuses the token, the request is sent once more with a new one. Stores if the server asks for a sign-in.
 * @throws {McpError} or an error of `send`
 */
export async function atServer<T>(
  ctx: Context,
  integration: ConnectedIntegration,
  request: ServerRequest<T>,
): Promise<T> {
  const { hasSignIn } = integration;
  const bounded = withDeadline(ctx, request);
  const token = hasSignIn ? await accessToken(ctx, integration, bounded.left()) : undefined;
  const result = await sendWith(ctx, integration, bounded, token);
  if (hasSignIn && token === undefined) await forgetNeed(ctx, integration, request.name);
  return result;
}

/** The time limit is for everything together: waiting for tokens, and sending the request up to twice. */
function withDeadline<T>({ services }: Context, { name, bounds: { timeoutMs, signal }, send }: ServerRequest<T>) {
  const { monotonicMs } = services.process;
  const deadline = monotonicMs() + timeoutMs;
  // Full seconds, because messages name them.
  const leftMs = () => Math.max(1_000, Math.ceil((deadline - monotonicMs()) / 1_000) * 1_000);
  return {
    name,
    left: (): TimeBounds => ({ timeoutMs: leftMs(), signal }),
    send: (headers: readonly Header[]) => send(headers, Math.min(timeoutMs, leftMs())),
  };
}

async function sendWith<T>(
  ctx: Context,
  integration: ConnectedIntegration,
  { name, left, send }: ReturnType<typeof withDeadline<T>>,
  token: string | undefined,
): Promise<T> {
  const { headers } = integration;
  try {
    return await send(withToken(headers, token));
  } catch (error) {
    if (!(error instanceof McpError) || !error.challenge || hasOwnCredentials(headers.map(({ name }) => name)))
      throw error;
    if (error.challenge.kind === 'scope') return askForScope(ctx, integration, error.challenge.scope, error);
    // Such a server does not ask for OAuth: it can reject a key, or fail.
    if (token === undefined && !error.challenge.isOAuth) throw error;
    if (token === undefined) return askForSignIn(ctx, integration, name);
    const next = await accessToken(ctx, integration, left(), token);
    return send(withToken(headers, next)).catch((again: unknown) => rejectedTwice(ctx, integration, next, again));
  }
}

function withToken(headers: readonly Header[], token: string | undefined): readonly Header[] {
  return token === undefined ? headers : [...headers, { name: 'Authorization', value: `Bearer ${token}` }];
}

/** @throws {McpError} */
async function askForSignIn(ctx: Context, server: ServerRef, refused: string): Promise<never> {
  const record = await readConnected(ctx, server);
  const { integration, secrets } = record;
  if (!integration.signIn) {
    const asking = { ...record, secrets: { ...secrets, refused } };
    await requireSignIn(ctx, asking, 'The MCP server asks for a sign-in.');
  }
  throw signInNeeded();
}

/** A server can refuse a request by mistake. Others of its requests can need no sign-in, so their success means nothing. */
async function forgetNeed(ctx: Context, server: ServerRef, name: string): Promise<void> {
  // The request has succeeded, whatever happened to the integration.
  const record = await readSignIn(ctx, server.id).catch(() => undefined);
  if (record?.integration.url !== server.url || !isUnsigned(record)) return;
  const { refused, ...secrets } = record.secrets;
  if (refused === name) await writeSignIn(withoutClaim(ctx), record, { state: null, secrets });
}

/** The server refuses a token that its authorization server has just issued. */
async function rejectedTwice(
  ctx: Context,
  server: ServerRef,
  token: string | undefined,
  error: unknown,
): Promise<never> {
  if (!(error instanceof McpError) || error.challenge?.kind !== 'credentials') throw error;
  const record = await readConnected(ctx, server);
  const isCurrent = record.integration.signIn?.status === 'signed_in' && record.secrets.tokens?.accessToken === token;
  if (isCurrent) await requireSignIn(ctx, record, REJECTED);
  throw signInNeeded();
}

/** Asks for a sign-in with further scopes, if the server has not asked too often. The tokens stay: other tools can work. */
async function askForScope(ctx: Context, server: ServerRef, scope: string, error: McpError): Promise<never> {
  const record = await readConnected(ctx, server);
  const before = record.integration.signIn ?? NEW_STATE;
  const all = scopesIn(before.scope, scope).join(' ');
  const isNew = all !== before.scope && all.length <= LIMITS.integrationScopeLength;
  if (isNew && before.scopeRequests < LIMITS.integrationScopeRequests) {
    const state = { ...before, scope: all, scopeRequests: before.scopeRequests + 1, problem: FURTHER_SCOPES };
    await writeSignIn(withoutClaim(ctx), record, { state, secrets: record.secrets });
  }
  const { cause } = error;
  throw new McpError(`${FURTHER_SCOPES} A member has to sign in to the integration again.`, { cause });
}
