import type { Context } from '../../context.ts';
import type { SignInState } from '../../integrations/sign-in-state.ts';
import type { OAuthTokens } from '../mcp-authorization-port.ts';

/** The state before a server has asked for a sign-in. */
export const NEW_STATE: SignInState = {
  status: 'needed',
  problem: null,
  scope: null,
  scopeRequests: 0,
  issuer: null,
  userId: null,
  at: null,
  expiresAt: null,
  renewAt: null,
  canRefresh: false,
  busyUntil: null,
};

/** The changes of a state whose tokens are deleted. */
export const ENDED = { status: 'needed', expiresAt: null, renewAt: null, canRefresh: false, busyUntil: null } as const;

/** The problem of a sign-in that does not have all scopes. */
export const FURTHER_SCOPES = 'The MCP server asks for further permissions.';

/** A token is exchanged so long before it expires, or after half of a shorter life. */
const EARLY_MS = 30_000;

/** The state of new tokens. */
export function stateOf(ctx: Context, { refreshToken, expiresIn }: OAuthTokens) {
  const lifeMs = expiresIn === undefined ? undefined : expiresIn * 1_000;
  return {
    status: 'signed_in',
    expiresAt: lifeMs === undefined ? null : after(ctx, lifeMs),
    renewAt: lifeMs === undefined ? null : after(ctx, Math.max(lifeMs - EARLY_MS, lifeMs / 2)),
    canRefresh: refreshToken !== undefined,
    busyUntil: null,
  } as const;
}

/** The tokens without the facts of the state. */
export function storedTokens(url: string, { accessToken, refreshToken }: OAuthTokens) {
  return { url, accessToken, refreshToken };
}

/** A time in ISO format. */
export function after(ctx: Context, ms: number): string {
  return new Date(ctx.now().getTime() + ms).toISOString();
}
