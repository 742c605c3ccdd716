import type { TimeBounds } from '../../../bounds/within-time.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { withoutClaim } from '../../access/caller-context.ts';
import type { Context } from '../../context.ts';
import type { SignInState } from '../../integrations/sign-in-state.ts';
import { outlasting } from '../../integrations/unfinished.ts';
import type { ConnectedIntegration } from '../../integrations/use.ts';
import { McpError } from '../mcp-port.ts';
import { exchange } from './exchange.ts';
import { readSignIn, type SignInRecord, writeSignIn } from './record.ts';
import { ENDED, NEW_STATE } from './states.ts';
import { pauseUntil, waitFor } from './wait.ts';

/** How often a process looks for the tokens that another one requests. */
const POLL_MS = 200;

/** The error of a request that cannot be sent, or was refused, before a member has signed in. */
export function signInNeeded(): McpError {
  return new McpError('The MCP server needs a sign-in. A member has to sign in to the integration.');
}

/** The server of a request, with the URL for which the request was prepared. */
export type ServerRef = Pick<ConnectedIntegration, 'id' | 'url'>;

/**
 * Returns the access token of an integration, and exchanges it if it expires or is `rejected`. Undefined: nobody has signed
 * in, so the request is sent without a token. Of all processes, one sends the request for tokens, and the others wait for it.
 * @throws {McpError} if a sign-in is needed, or the authorization server fails or takes too long; the reason of the signal
 */
export function accessToken(
  open: Context,
  server: ServerRef,
  wait: TimeBounds,
  rejected?: string,
): Promise<string | undefined> {
  // The tokens are no effect of the request, and must not get lost with it.
  const ctx = withoutClaim(open);
  return waitFor(wait, (signal) => findToken(ctx, server, signal, rejected));
}

async function findToken(
  ctx: Context,
  server: ServerRef,
  signal: AbortSignal,
  rejected: string | undefined,
): Promise<string | undefined> {
  for (;;) {
    const record = await readConnected(ctx, server);
    const { signIn: state } = record.integration;
    if (!state || isUnsigned(record)) return undefined;
    signal.throwIfAborted();
    if (state.status === 'refreshing') await awaitExchange(ctx, record, state, signal);
    else {
      const token = await readyToken(ctx, record, rejected);
      if (token !== undefined) return token;
    }
  }
}

/** Whether a server has asked for a sign-in, and nobody has ever signed in. The server can have asked by mistake. */
export function isUnsigned({ integration: { signIn } }: SignInRecord): boolean {
  return signIn?.status === 'needed' && signIn.at === null;
}

/** Waits a moment for the process that exchanges the tokens, unless it has died. */
async function awaitExchange(
  ctx: Context,
  record: SignInRecord,
  state: SignInState,
  signal: AbortSignal,
): Promise<void> {
  if (leftMs(ctx, state.busyUntil, 0) > 0) await pauseUntil(POLL_MS, signal);
  else await requireSignIn(ctx, record, 'The last exchange of tokens was interrupted. Sign in again.');
}

/** The token, if it can be used. Otherwise the next state is stored, or another process has stored one. @throws {McpError} */
async function readyToken(
  ctx: Context,
  record: SignInRecord,
  rejected: string | undefined,
): Promise<string | undefined> {
  const { signIn: state, url } = record.integration;
  const { tokens } = record.secrets;
  if (!state || state.status === 'needed' || tokens?.url !== url) throw signInNeeded();
  const { accessToken: token, refreshToken } = tokens;
  const isRejected = token === rejected;
  // Without a refresh token, the token is used to its end.
  const until = refreshToken === undefined ? state.expiresAt : state.renewAt;
  if (!isRejected && leftMs(ctx, until, Number.POSITIVE_INFINITY) > 0) return token;
  if (refreshToken === undefined) {
    await requireSignIn(ctx, record, isRejected ? REJECTED : 'The sign-in has expired.');
    return undefined;
  }
  if (leftMs(ctx, state.busyUntil, 0) <= 0) return outlasting(ctx, exchange(ctx, record, refreshToken));
  throw new McpError('The access token could not be exchanged. The next attempt is in a few seconds.');
}

function leftMs(ctx: Context, until: string | null, otherwise: number): number {
  return until === null ? otherwise : Date.parse(until) - ctx.now().getTime();
}

/**
 * Reads the sign-in for a request to the server.
 * @throws {McpError} if the integration is disconnected, or has another URL than the request
 */
export async function readConnected(ctx: Context, { id, url }: ServerRef): Promise<SignInRecord> {
  const record = await readSignIn(ctx, id).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    throw new McpError('The integration is no longer connected.', { cause: error });
  });
  // A token of the new server must not go to the former one, and a response of the former one says nothing about the new one.
  if (record.integration.url !== url) throw new McpError('The URL of the integration was changed. Try again.');
  return record;
}

/** The problem of a token that a server does not accept. */
export const REJECTED = 'The MCP server no longer accepts the sign-in.';

/** Stores that a member must sign in again. Tokens that do not work are deleted. */
export async function requireSignIn(ctx: Context, record: SignInRecord, problem: string): Promise<boolean> {
  const { integration, secrets } = record;
  const before = integration.signIn ?? NEW_STATE;
  const state = { ...before, ...ENDED, problem };
  return writeSignIn(withoutClaim(ctx), record, { state, secrets: { ...secrets, tokens: undefined } });
}
