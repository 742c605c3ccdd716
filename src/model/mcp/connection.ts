import { setTimeout as pause } from 'node:timers/promises';
import { Client, type PriorDiscovery } from '@modelcontextprotocol/client';
import type { SessionFetch } from '../../outbound/guarded-session.ts';
import { withCleanMessages } from './clean-messages.ts';
import { TolerantTransport } from './transport.ts';

/** How long cancelling a call and closing a session may take. Nobody waits for it. */
export const CLOSE_MS = 1_000;

/** A server of the older revision can ignore a question for its revision. */
const DISCOVERY_MS = 2_000;

/** How often the stream of a response is resumed. */
const MOST_RESUMPTIONS = 5;

/** How often a server can ask to repeat a call with the state that it gave. */
const MOST_ROUNDS = 4;

/** A connection to a server, for one list or one call. */
export interface McpSession {
  readonly client: Client;
  readonly transport: TolerantTransport;
  /** The limits of each request. */
  readonly options: { readonly signal: AbortSignal; readonly timeout: number };
}

/** No schema of a server is compiled: a stranger's schema can take any time. */
const NO_VALIDATION = {
  getValidator: () => () => {
    throw new Error('Results are not validated.');
  },
};

/** Connects, with the revision of the protocol if it is known. */
export async function openSession(
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  fetch: SessionFetch,
  options: McpSession['options'],
  prior: PriorDiscovery | undefined,
): Promise<McpSession> {
  const client = new Client(
    { name: 'parley', version: '1.0.0' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: DISCOVERY_MS } },
      jsonSchemaValidator: NO_VALIDATION,
      inputRequired: { maxRounds: MOST_ROUNDS },
    },
  );
  const transport = new TolerantTransport(url, {
    requestInit: { headers, redirect: 'error' },
    fetch: withCleanMessages(onlyResumptions(fetch)),
    reconnectionOptions: {
      initialReconnectionDelay: 200,
      maxReconnectionDelay: 2_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
  });
  await client.connect(transport, { ...options, ...(prior && { prior }) });
  return { client, transport, options };
}

/** The service does not use the server's own event stream: responds with 405 without sending the request. */
function onlyResumptions(fetch: SessionFetch): SessionFetch {
  let resumptions = 0;
  return async (input, init) => {
    if (init?.method !== 'GET') return fetch(input, init);
    const isResumption = new Headers(init.headers).has('last-event-id');
    if (isResumption) resumptions += 1;
    return isResumption && resumptions <= MOST_RESUMPTIONS ? fetch(input, init) : new Response(null, { status: 405 });
  };
}

/** Ends a session, after its cancellations have arrived. */
export async function closeSession({ client, transport }: McpSession): Promise<void> {
  const end = async () => {
    await transport.notified();
    await transport.terminateSession();
  };
  await Promise.race([end().catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);
  await client.close().catch(() => {});
}
