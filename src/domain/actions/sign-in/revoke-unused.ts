import { ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { revokeTokens } from '../../integrations/revoke-tokens.ts';
import type { SignInSecrets } from '../../integrations/sign-in-secrets.ts';
import { outlasting } from '../../integrations/unfinished.ts';
import { readSignIn } from './record.ts';

type Issued = { readonly [Name in 'client' | 'server' | 'tokens']: NonNullable<SignInSecrets[Name]> };

/** Revokes tokens that were issued but not stored, because the sign-in ended meanwhile. The caller does not wait for it. */
export function revokeUnused(ctx: Context, integrationId: string, issued: Issued): void {
  void outlasting(ctx, revoke(ctx, integrationId, issued));
}

async function revoke(ctx: Context, integrationId: string, issued: Issued): Promise<void> {
  const current = await readSignIn(ctx, integrationId).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
  const { client, server, tokens } = current?.secrets ?? {};
  // Some servers then revoke all tokens that they issued to the client for the member, also those of a newer sign-in.
  const isNewer = server?.issuer === issued.server.issuer && client?.clientId === issued.client.clientId;
  if (!tokens || !isNewer) await revokeTokens(ctx, issued);
}
