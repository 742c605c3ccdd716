import { ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { AuthorizationError, type OAuthTokens } from '../mcp-authorization-port.ts';
import { McpError } from '../mcp-port.ts';
import { changeSignIn, type NextSignIn, type SignInRecord, writeSignIn } from './record.ts';
import { revokeUnused } from './revoke-unused.ts';
import { after, ENDED, NEW_STATE, stateOf, storedTokens } from './states.ts';

/** Longer than the time limit of a request for tokens. Later the process that made it has died. */
const REFRESH_MS = 30_000;

/** After a failed exchange, so that an unavailable server delays few turns. */
const PAUSE_MS = 10_000;

/** Claims the exchange of the refresh token, sends it, and stores its result. Does nothing if another process has claimed it. */
export async function exchange(ctx: Context, record: SignInRecord, refreshToken: string): Promise<string | undefined> {
  const { integration, secrets, version } = record;
  const { client, server } = secrets;
  const state = integration.signIn;
  if (!state || !client || !server) throw new Error('The tokens of an integration have no authorization server.');
  const refreshing = { ...state, status: 'refreshing', busyUntil: after(ctx, REFRESH_MS) } as const;
  if (!(await writeSignIn(ctx, record, { state: refreshing, secrets }))) return undefined;
  const claimed = { ...record, integration: { ...integration, signIn: refreshing }, version: version + 1 };
  try {
    const tokens = await ctx.services.ports.mcpAuthorization.refresh({ client, server, refreshToken });
    const isStored = await replace(ctx, claimed, refreshToken, (now) => renewed(ctx, now, tokens));
    if (!isStored) {
      revokeUnused(ctx, integration.id, { client, server, tokens: storedTokens(integration.url, tokens) });
      return undefined;
    }
    // Even if it expires at once: the next request exchanges it again.
    return tokens.accessToken;
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    await replace(ctx, claimed, refreshToken, (now) => failed(ctx, now, error));
    if (error.failure === 'failed') throw new McpError(error.message, { cause: error });
    return undefined;
  }
}

/**
 * Stores the result of an exchange. The refresh token is used up, so the start of a sign-in or a request for scopes at the
 * same time must not lose the result. A sign-out, another URL and a new sign-in do.
 */
async function replace(
  ctx: Context,
  claimed: SignInRecord,
  refreshToken: string,
  next: (now: SignInRecord) => NextSignIn,
): Promise<boolean> {
  const isOwn = ({ integration: { signIn }, secrets: { tokens } }: SignInRecord) =>
    signIn?.status === 'refreshing' && tokens?.refreshToken === refreshToken;
  try {
    return await changeSignIn(ctx, claimed, (now) => (isOwn(now) ? next(now) : undefined));
  } catch (error) {
    // Disconnected meanwhile.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** A member still has to allow the scopes that the server has asked for, so the problem stays. */
function renewed(
  ctx: Context,
  { integration: { signIn, url }, secrets }: SignInRecord,
  tokens: OAuthTokens,
): NextSignIn {
  const state = { ...(signIn ?? NEW_STATE), ...stateOf(ctx, tokens) };
  return { state, secrets: { ...secrets, tokens: storedTokens(url, tokens) } };
}

/** The tokens stay if the server has not refused them. */
function failed(
  ctx: Context,
  { integration, secrets }: SignInRecord,
  { failure, message }: AuthorizationError,
): NextSignIn {
  const state = integration.signIn ?? NEW_STATE;
  if (failure === 'failed') {
    return { state: { ...state, status: 'signed_in', busyUntil: after(ctx, PAUSE_MS) }, secrets };
  }
  const forgetsClient = failure === 'client' && secrets.client?.source !== 'entered';
  return {
    state: { ...state, ...ENDED, problem: `${message} Sign in again.` },
    secrets: { ...secrets, tokens: undefined, ...(forgetsClient && { client: undefined }) },
  };
}
