import { ServiceError } from '../../../contract/errors.ts';
import type { IntegrationSignInProblem } from '../../../contract/sign-in.ts';
import { requireScope, requireSession } from '../../access/scopes.ts';
import type { Context } from '../../context.ts';
import type { SignInState } from '../../integrations/sign-in-state.ts';
import { AuthorizationError, type OAuthTokens } from '../mcp-authorization-port.ts';
import { signInRedirectUri } from './client.ts';
import { changeSignIn, readSignIn, type SignInRecord, writeSignIn } from './record.ts';
import { revokeUnused } from './revoke-unused.ts';
import { scopesIn } from './scopes.ts';
import { FURTHER_SCOPES, NEW_STATE, stateOf, storedTokens } from './states.ts';
import type { SignInTicket } from './ticket.ts';

/** A sign-in that fails. The page explains `code`. `message` is for the log: it contains no secret. */
export class IntegrationSignInError extends Error {
  readonly code: IntegrationSignInProblem;

  constructor(code: IntegrationSignInProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IntegrationSignInError';
    this.code = code;
  }
}

type Attempt = NonNullable<SignInRecord['secrets']['attempt']>;

/**
 * Finishes a sign-in with the response of the authorization server. It belongs to an attempt of this browser (`ticket`) and
 * of this session, and works once.
 * @throws {IntegrationSignInError}
 */
export async function finishIntegrationSignIn(
  ctx: Context,
  ticket: SignInTicket,
  response: URLSearchParams,
): Promise<void> {
  const { user, id: sessionId } = requireSession(ctx.caller);
  const record = await read(ctx, ticket.integrationId);
  const { attempt, ...kept } = record.secrets;
  const isOwn =
    attempt?.state === ticket.state &&
    attempt.state === response.get('state') &&
    attempt.sessionId === sessionId &&
    attempt.url === record.integration.url;
  if (!attempt || !isOwn || attempt.until <= ctx.now().getTime()) {
    throw new IntegrationSignInError(
      'expired',
      'the response does not belong to an attempt of this browser and session',
    );
  }
  // Before the request for tokens, so a second response with the same state finds no attempt.
  const claim = { state: record.integration.signIn, secrets: { ...kept, redeemed: attempt.state } };
  const isClaimed = await writeSignIn(ctx, record, claim);
  if (!isClaimed) throw new IntegrationSignInError('expired', 'the attempt was used or replaced at the same time');
  const tokens = await redeem(ctx, record.integration.id, attempt, response);
  await store(ctx, { ...record, secrets: claim.secrets, version: record.version + 1 }, attempt, tokens, user.id);
}

/**
 * Stores the tokens. Meanwhile former tokens can have been exchanged, a server can have asked for scopes, and another attempt
 * can have begun. After a sign-out or a change of the URL nothing is stored.
 * @throws {IntegrationSignInError}
 */
async function store(ctx: Context, claimed: SignInRecord, attempt: Attempt, tokens: OAuthTokens, userId: string) {
  const { client, server, url, scope } = attempt;
  const next = ({ integration, secrets }: SignInRecord) => {
    if (secrets.redeemed !== attempt.state) return undefined;
    const before = integration.signIn ?? NEW_STATE;
    const facts = { issuer: server.issuer, userId, at: ctx.now().toISOString() };
    const state = { ...before, ...stateOf(ctx, tokens), ...scopesOf(before, scope), ...facts };
    return { state, secrets: { client, server, tokens: storedTokens(url, tokens), attempt: secrets.attempt } };
  };
  const entry = { action: 'integration.signed_in', details: { issuer: server.issuer, scope } } as const;
  const isStored = await changeSignIn(ctx, claimed, next, entry).catch((error: unknown) => {
    // Disconnected meanwhile.
    if (error instanceof ServiceError) return false;
    throw error;
  });
  if (isStored) return;
  revokeUnused(ctx, claimed.integration.id, { client, server, tokens: storedTokens(url, tokens) });
  throw new IntegrationSignInError('expired', 'the integration was changed while the code was exchanged');
}

/** The server can have asked for further scopes after the attempt had begun. The next attempt asks for them. */
function scopesOf(before: SignInState, scope: string | undefined) {
  const asked = scopesIn(scope, before.scope);
  const isComplete = before.problem !== FURTHER_SCOPES || asked.length === scopesIn(scope).length;
  return isComplete ? { scope: scope ?? null, problem: null } : { scope: asked.join(' '), problem: before.problem };
}

/** @throws {IntegrationSignInError} */
async function read(ctx: Context, id: string): Promise<SignInRecord> {
  try {
    requireScope(ctx.caller, 'integrations:manage');
    return await readSignIn(ctx, id);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new IntegrationSignInError(error.code === 'forbidden' ? 'not_allowed' : 'expired', error.message, error);
  }
}

/** Exchanges the code. The issuer counts for errors too: another server could send them. @throws {IntegrationSignInError} */
async function redeem(
  ctx: Context,
  id: string,
  { server, client, codeVerifier }: Attempt,
  response: URLSearchParams,
): Promise<OAuthTokens> {
  const iss = response.get('iss') ?? undefined;
  if (iss === undefined ? server.namesIssuer : !isIssuer(server, iss))
    throw new IntegrationSignInError('failed', 'the response names another authorization server, or does not name it');
  const code = response.get('code');
  if (code === null || response.has('error')) {
    const isDenied = response.get('error') === 'access_denied';
    throw new IntegrationSignInError(
      isDenied ? 'denied' : 'failed',
      'the authorization server sent an error instead of a code',
    );
  }
  const redirectUri = signInRedirectUri(ctx.services, id);
  return ctx.services.ports.mcpAuthorization
    .redeem({ server, client, code, iss, codeVerifier, redirectUri })
    .catch((error: unknown) => {
      if (!(error instanceof AuthorizationError)) throw error;
      throw new IntegrationSignInError('failed', error.message, error);
    });
}

/**
 * Whether a response comes from the server. Also a server without a description could send the browser to another one, which
 * names itself. The service only knows the address of such a server, so a slash at the end does not count.
 */
function isIssuer({ issuer, isDescribed }: Attempt['server'], iss: string): boolean {
  return iss === issuer || (!isDescribed && withoutSlash(iss) === withoutSlash(issuer));
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
