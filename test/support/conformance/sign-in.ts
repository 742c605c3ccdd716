import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { connect, publishScripted } from '../actions.ts';
import type { Client } from '../client.ts';
import { respond, signInOf, start, toolsOf } from '../integration-sign-in.ts';
import { errorOf, resultOf } from '../results.ts';
import { workflowsOf } from '../workflows.ts';

/** The server of a scenario, and the client that its operator has registered. */
interface Scenario {
  readonly url: string;
  readonly client_id?: string;
  readonly client_secret?: string;
}

interface Parts {
  readonly service: Client;
  readonly session: string;
}

/** More than any scenario needs. */
const MOST_SIGN_INS = 5;

let count = 0;

/** Uses the server of a scenario, and signs in each time that the integration says so, as a patient member does. */
async function follow({ service, session }: Parts, { url, client_id, client_secret }: Scenario): Promise<void> {
  count += 1;
  const name = `Scenario ${count}`;
  const id = await connect(service, { kind: 'mcp', name, url });
  const mcpServers = [{ name: 'scenario', integration: name, approval: { mode: 'NEVER' } }];
  const { call } = await publishScripted(service, workflowsOf(service), { mcpServers });
  const client = client_id === undefined ? {} : { clientId: client_id, clientSecret: client_secret };
  for (let left = MOST_SIGN_INS; left > 0; left -= 1) {
    await toolsOf(service, id);
    await call('/call scenario_test-tool {}');
    const { state } = await signInOf(service, id);
    if (state !== 'NEEDED' && state !== 'INCOMPLETE') return;
    if (!(await isSignedIn({ service, session }, id, client))) return;
  }
}

/** Signs in with the pages of the authorization server, which allows everything at once. */
async function isSignedIn({ service, session }: Parts, id: string, client: object): Promise<boolean> {
  const response = await start(service, session, id, client);
  if (errorOf(response)) return false;
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith('parley_integration='));
  const page = await fetch(resultOf(response).authorizationUrl, { redirect: 'manual' });
  const back = new URL(page.headers.get('location') ?? '');
  return (await respond(service, back, { session, cookie: cookie?.split(';')[0] })) === 'done';
}

/** An address at which a process follows a scenario with the service. */
export async function startFollower(parts: Parts) {
  const server = createServer(async (request, response) => {
    try {
      await follow(parts, (await json(request)) as Scenario);
      response.end('done');
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
