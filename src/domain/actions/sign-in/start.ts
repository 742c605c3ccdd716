import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { SIGN_IN_TO_INTEGRATION } from '../../../shapes/integrations.ts';
import { newSignInSecret } from '../../access/tokens.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import type { Integration } from '../../integrations/reads.ts';
import { hasOwnCredentials } from '../../integrations/sign-in-state.ts';
import { AuthorizationError, type OAuthClient } from '../mcp-authorization-port.ts';
import { clientDocumentUrl, clientMetadata, signInRedirectUri } from './client.ts';
import { changeSignIn, readSignIn, type SignInRecord } from './record.ts';
import { sealTicket } from './ticket.ts';

const { id: _, ...fields } = SIGN_IN_TO_INTEGRATION.fields;

const clientInput = z.object(rulesOf(fields));

/** The client ID that a member enters. Null: the stored one, or one that the service chooses. */
export interface EnteredClient {
  readonly clientId?: string | null | undefined;
  readonly clientSecret?: string | null | undefined;
}

/** Where the browser goes, and the cookie that binds the attempt to it. */
export interface StartedSignIn {
  readonly integration: Integration;
  readonly authorizationUrl: string;
  readonly cookie: string;
  readonly until: Date;
}

/**
 * Starts the sign-in of a member to the MCP server of an integration. A newer attempt replaces an earlier one.
 * @throws {ServiceError} not_found; invalid_request, for example if its authorization server cannot be used
 */
export async function startIntegrationSignIn(ctx: Context, id: string, input: EnteredClient): Promise<StartedSignIn> {
  const entered = parseInput(clientInput, input);
  const record = await readSignIn(ctx, id);
  const { caller } = ctx;
  if (caller.kind !== 'session') {
    throw new ServiceError('invalid_request', 'Only a signed-in member can sign in. Use the dashboard for {param}.', {
      param: ['id'],
    });
  }
  const { integration, secrets } = record;
  if (hasOwnCredentials(integration.headerNames)) {
    const message = '{param} has an Authorization header of its own. Remove the header, then sign in.';
    throw new ServiceError('invalid_request', message, { param: ['id'] });
  }
  const state = newSignInSecret();
  const redirectUri = signInRedirectUri(ctx.services, id);
  const started = await ctx.services.ports.mcpAuthorization
    .start({
      url: integration.url,
      scope: integration.signIn?.problem == null ? undefined : (integration.signIn.scope ?? undefined),
      state,
      redirectUri,
      metadata: clientMetadata(redirectUri),
      documentUrl: clientDocumentUrl(ctx.services, id),
      client: enteredClient(entered) ?? secrets.client ?? secrets.attempt?.client,
    })
    .catch((error: unknown) => {
      if (!(error instanceof AuthorizationError)) throw error;
      throw new ServiceError('invalid_request', `The sign-in could not be started. ${error.message}`, {
        param: ['id'],
      });
    });
  const { authorizationUrl, codeVerifier, server, client, scope } = started;
  const until = new Date(ctx.now().getTime() + LIMITS.integrationSignInMinutes * 60_000);
  const { url } = integration;
  const attempt = { state, url, codeVerifier, sessionId: caller.id, until: until.getTime(), scope, client, server };
  await store(ctx, record, attempt);
  const cookie = sealTicket(ctx, {
    integrationId: id,
    environment: ctx.environment.kind,
    state,
    until: until.getTime(),
  });
  return { integration, authorizationUrl, cookie, until };
}

function enteredClient({ clientId, clientSecret }: EnteredClient): OAuthClient | undefined {
  if (clientId != null) {
    return {
      clientId,
      clientSecret: clientSecret ?? undefined,
      authMethod: undefined,
      source: 'entered',
      issuer: undefined,
    };
  }
  if (clientSecret == null) return undefined;
  throw new ServiceError('invalid_request', '{param} is required with a client secret.', { param: ['clientId'] });
}

/** Tokens can have been exchanged meanwhile. Another attempt can also have begun: the newest one counts. */
async function store(ctx: Context, first: SignInRecord, attempt: NonNullable<SignInRecord['secrets']['attempt']>) {
  const isStored = await changeSignIn(ctx, first, ({ integration, secrets }) =>
    integration.url === attempt.url ? { state: integration.signIn, secrets: { ...secrets, attempt } } : undefined,
  );
  if (isStored) return;
  throw new ServiceError('invalid_request', '{param} was changed at the same time. Try again.', { param: ['id'] });
}
