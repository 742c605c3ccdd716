import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { McpChallenge } from '../../domain/actions/mcp-port.ts';
import type { SessionFetch } from '../../outbound/guarded-session.ts';

/** A session that failed after the server had asked for other credentials. */
export class ChallengedFault extends Error {
  readonly challenge: McpChallenge;

  constructor(cause: unknown, challenge: McpChallenge) {
    super('The server asks for other credentials.', { cause });
    this.challenge = challenge;
  }
}

/**
 * Watches the responses of a session for the last request for other credentials. The caller sends the session again with
 * other credentials, so nothing counts that can come after the server has run a call.
 */
export class ChallengeWatch {
  #last: McpChallenge | undefined;
  #hasAcceptedCall = false;

  watched(fetch: SessionFetch): SessionFetch {
    return async (input, init) => {
      const message = init?.method === 'POST' ? messageOf(init.body) : {};
      const counts = message.method === HANDSHAKE_END || (message.method !== undefined && message.id !== undefined);
      // The next response can get lost after the server has run the call.
      if (counts) this.#last = undefined;
      const response = await fetch(input, init);
      if (message.method === 'tools/call' && response.ok) this.#hasAcceptedCall = true;
      // Answers to requests of the server, and other notifications, can be refused while a call runs.
      if (counts && !this.#hasAcceptedCall) this.#last = challengeIn(response);
      return response;
    };
  }

  /** The error of the session, with the request for credentials that caused it. */
  errorOf(error: unknown): unknown {
    return this.#last ? new ChallengedFault(error, this.#last) : error;
  }
}

/** The only notification that precedes each call. Some servers refuse it instead of `initialize`. */
const HANDSHAKE_END = 'notifications/initialized';

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
}

/** The client sends one message as text. */
function messageOf(body: unknown): Message {
  return typeof body === 'string' ? (JSON.parse(body) as Message) : {};
}

function challengeIn(response: Response): McpChallenge | undefined {
  if (response.status === 401) {
    return { kind: 'credentials', isOAuth: /^(bearer|dpop)\b/i.test(response.headers.get('www-authenticate') ?? '') };
  }
  if (response.status !== 403) return undefined;
  const { error, scope } = extractWWWAuthenticateParams(response);
  return error === 'insufficient_scope' && scope !== undefined ? { kind: 'scope', scope } : undefined;
}
