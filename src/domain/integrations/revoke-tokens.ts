import type { Context } from '../context.ts';
import { openSignIn, type SignInSecrets } from './sign-in-secrets.ts';
import { outlasting } from './unfinished.ts';

/**
 * Asks the authorization server to revoke tokens that are deleted already. A server that cannot be reached forgets them when
 * they expire.
 */
export async function revokeTokens(
  ctx: Context,
  { client, server, tokens }: Pick<SignInSecrets, 'client' | 'server' | 'tokens'>,
): Promise<void> {
  if (!client || !server || !tokens) return;
  const token = tokens.refreshToken ?? tokens.accessToken;
  await ctx.services.ports.mcpAuthorization.revoke({ client, server, token }).catch((error: Error) => {
    ctx.services.process.log.info({ request_id: ctx.request.id, fault: error.message }, 'a token could not be revoked');
  });
}

/** Does so after a change of an integration, with the secrets that it had. The caller does not wait for the server. */
export function revokeLater(ctx: Context, integrationId: string, sealed: Uint8Array | null): void {
  const revoke = async () => revokeTokens(ctx, openSignIn(ctx, integrationId, sealed));
  void outlasting(
    ctx,
    revoke().catch((error: unknown) => ctx.services.process.log.warn({ err: error }, 'tokens could not be revoked')),
  );
}
