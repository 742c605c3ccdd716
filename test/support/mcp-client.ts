import {
  type ElicitResult,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MODERN_VERSION } from './mcp-messages.ts';

interface Options {
  readonly key: string;
  /** Sends the requests. */
  readonly fetch?: typeof fetch;
}

/** What the person at a client answers to a question. */
export type Answer = (question: string) => ElicitResult;

interface ModernOptions {
  readonly answer?: Answer;
  /** The extensions of the protocol that the client declares. */
  readonly extensions?: Readonly<Record<string, Record<string, never>>>;
}

/** Connects the official client of the revisions until 2025-11-25 to the MCP server of a service. */
export async function connectMcp(url: string, { key, fetch: send = fetch }: Options): Promise<Client> {
  const client = new Client({ name: 'parley-tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: send,
  });
  // The types of the SDK are not written for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

/** Connects the official client of the revision 2026-07-28. */
export async function connectModernMcp(
  url: string,
  { key, fetch: send = fetch, answer, extensions }: Options & ModernOptions,
): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'parley-tests', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: MODERN_VERSION } },
      capabilities: { ...(answer && { elicitation: { form: {} } }), ...(extensions && { extensions }) },
    },
  );
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  const transport = new ModernTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: send,
  });
  await client.connect(transport);
  return client;
}

/** Calls a tool. Returns its structured result, or the body of its error. */
export async function callTool(client: Pick<Client, 'callTool'> | ModernClient, name: string, args: object) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: { ...args } });
  const [part] = content as { text: string }[];
  const text = JSON.parse(part?.text ?? 'null');
  // A client that knows no structured results reads the text.
  if (!isError && JSON.stringify(structuredContent) !== JSON.stringify(text)) throw new Error('the results differ');
  return text;
}
