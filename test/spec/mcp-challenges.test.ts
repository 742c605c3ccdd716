import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import { ALL_TOOLS, NEEDS_SIGN_IN, SignIns, signIn, signInOf, toolsOf } from '../support/integration-sign-in.ts';
import type { McpRequest } from '../support/mcp-server.ts';
import type { OAuthOptions } from '../support/oauth-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let session: string;
const signIns = new SignIns(() => ({ service, session }));

beforeAll(async () => {
  service = await startService();
  session = await openSession(service, 'owner');
});
afterAll(() => service?.close());
afterEach(() => signIns.close());

const REFUSAL = { status: 401, challenge: 'Bearer' };

/** Signs in to a server with the tool `act`. Returns a function that calls it. */
async function acting(options: OAuthOptions) {
  const { pair, name, id } = await signIns.signedIn(options);
  const server = { name: 'desk', integration: name, timeoutSeconds: 5, approval: { mode: 'NEVER' } };
  const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
  return { pair, id, act: () => call('/call desk_act {}') };
}

describe('a call that a server has begun', () => {
  it('is not sent again because the server refuses an answer to a question of its own', async () => {
    let calls = 0;
    let stream: ServerResponse | undefined;
    let answers = 0;
    const ask = () => stream?.write(`data: {"jsonrpc":"2.0","id":${90 + answers},"method":"ping"}\n\n`);
    const { pair, id, act } = await acting({
      tools: {
        act: {
          call: () => (response) => {
            calls += 1;
            stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
            ask();
          },
        },
      },
      refuse: ({ verb, message }) => {
        if (verb !== 'POST' || message?.method !== undefined) return undefined;
        answers += 1;
        // After some refused answers the stream ends without a result.
        if (answers < 5) ask();
        else stream?.end();
        return REFUSAL;
      },
    });
    expect(JSON.stringify((await act()).outputs)).toContain('could not be reached');
    expect(answers).toBe(5);
    expect(calls).toBe(1);
    expect(pair.at('/token')).toHaveLength(1);
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
  });

  it.each([
    ['refuses the token of its second round', REFUSAL],
    [
      'asks for a scope in its second round',
      { status: 403, challenge: 'Bearer error="insufficient_scope", scope="a"' },
    ],
    ['no longer knows the address in its second round', { status: 404, challenge: '' }],
  ])('is not sent again from the beginning if the server %s', async (_, refusal) => {
    const states: unknown[] = [];
    const isSecond = ({ message }: McpRequest) => message?.params?.requestState !== undefined;
    const { pair, act } = await acting({
      isModern: true,
      tools: {
        act: {
          call: (__, { message }) => {
            states.push(message?.params?.requestState);
            return { result: { resultType: 'input_required', requestState: 'half done' } };
          },
        },
      },
      refuse: (request) => (isSecond(request) ? refusal : undefined),
    });
    expect((await act()).outputs).toEqual([{ error: expect.any(String) }]);
    expect(states).toEqual([undefined]);
    expect(pair.at('/token')).toHaveLength(1);
  });
});

describe('a call whose second round has other headers than the schema demands', () => {
  it('is not sent again from the beginning', async () => {
    const states: unknown[] = [];
    const { act } = await acting({
      isModern: true,
      tools: {
        act: {
          call: (__, { message }) => {
            states.push(message?.params?.requestState);
            if (states.length > 1) return { error: { code: -32_020, message: 'Header mismatch' } };
            return { result: { resultType: 'input_required', requestState: 'half done' } };
          },
        },
      },
    });
    expect((await act()).outputs).toEqual([{ error: 'The MCP server returned an error.', content: 'Header mismatch' }]);
    expect(states).toEqual([undefined, 'half done']);
  });
});

describe('a server that refuses only the end of its handshake', () => {
  it('gets a sign-in', async () => {
    const { pair, id } = await signIns.connected({ isOpen: ({ message }) => message?.method === 'initialize' });
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(await signIn(service, session, pair, id)).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
  });
});
