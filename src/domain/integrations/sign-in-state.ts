/** The sign-in at the authorization server of an MCP server, without its secrets. It is stored as JSON. */
export interface SignInState {
  /** `refreshing`: one process exchanges the refresh token, and the tokens can be used up. */
  readonly status: 'needed' | 'signed_in' | 'refreshing';
  /** Why a sign-in is needed. It does not contain the server's text. */
  readonly problem: string | null;
  /** The scopes that the next sign-in asks for, or that the last one asked for. */
  readonly scope: string | null;
  /** How often the server has asked for further scopes. */
  readonly scopeRequests: number;
  /** The authorization server of the last sign-in. */
  readonly issuer: string | null;
  /** The user who signed in. */
  readonly userId: string | null;
  /** When they signed in, in ISO format. */
  readonly at: string | null;
  /** When the access token expires, in ISO format. Null: the server has not said it. */
  readonly expiresAt: string | null;
  /** When the service exchanges it, in ISO format. Null: when the server refuses it. */
  readonly renewAt: string | null;
  /** Whether the service can get another access token without a member. */
  readonly canRefresh: boolean;
  /** Until when a refresh can take, or must not be repeated after a failure, in ISO format. */
  readonly busyUntil: string | null;
}

/** Whether headers carry credentials of their own. Then there is no sign-in. */
export function hasOwnCredentials(headerNames: readonly string[]): boolean {
  return headerNames.some((name) => name.toLowerCase() === 'authorization');
}
