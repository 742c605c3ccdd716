import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readUIMessageStream, type UIMessageChunk } from 'ai';
import { textContent } from './agent-apis.ts';
import { readHistory, textOf } from './agent-turns.ts';
import { runCommand } from './cli.ts';
import type { Client } from './client.ts';
import { publish } from './documents.ts';
import { callTool, connectMcp } from './mcp-client.ts';
import { DEMO_AGENT_ID } from './service.ts';
import { textIn, transportOf, userMessage } from './ui-chat.ts';

/** Clients of the other transports, which send one request after another until they are stopped. */
export interface OtherLoad {
  /** Requests that succeeded, by client. */
  readonly succeeded: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

const THINK_MS = 100;

/** Published documents, `apply`, streams of `/ui` and calls of `/mcp`. */
export async function startOtherLoad(client: Client): Promise<OtherLoad> {
  await publish(client, 'counted', '{ resources { totalCount } }');
  const folder = await mkdtemp(join(tmpdir(), 'parley-load-'));
  const stopping = new AbortController();
  const succeeded: Record<string, number> = {};
  const failures: string[] = [];
  const clients: Readonly<Record<string, (round: number) => Promise<void>>> = {
    document: () => callDocument(client),
    apply: (round) => apply(client, folder, round),
    ui: (round) => streamUi(client, round),
    mcp: (round) => askByMcp(client, round),
  };
  const running = Object.entries(clients).map(async ([name, send]) => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      try {
        await send(round);
        succeeded[name] = (succeeded[name] ?? 0) + 1;
      } catch (error) {
        failures.push(`${name}: ${error} ${(error as Error).cause ?? ''}`);
      }
      await pause(THINK_MS);
    }
  });
  return {
    succeeded,
    failures,
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await rm(folder, { recursive: true });
    },
  };
}

function requireEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

async function callDocument(client: Client): Promise<void> {
  const { status, body } = await client.send('GET', '/v1/x/counted');
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Each round changes the workflow, and so publishes it again. */
async function apply(client: Client, folder: string, round: number): Promise<void> {
  const file = join(folder, 'parley.yaml');
  const instructions = `Instructions of round ${round}`;
  await writeFile(
    file,
    `version: 1\nworkflows:\n  - name: Applied\n    config: { instructions: ${instructions} }\ndeployments:\n  - { name: Applied agent, workflow: Applied, kind: agent }\n`,
  );
  const env = { PARLEY_URL: client.url, PARLEY_API_KEY: client.key };
  const { code, stdout, stderr } = await runCommand(env, ['apply', '-f', file, '--yes']);
  if (code !== 0) throw new Error(`${code} ${stderr} ${stdout}`);
}

/** Reads a streamed reply. If its connection breaks, it reads on as the AI SDK does. */
async function streamUi(client: Client, round: number): Promise<void> {
  const transport = transportOf(client);
  const chatId = crypto.randomUUID();
  const text = `round ${round} of a reply that takes a while, because it has many words: ${'word '.repeat(40)}end`;
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages: [userMessage(text)],
    abortSignal: undefined,
  });
  const expected = `You said: ${text}`;
  let reply = await replyIn(stream);
  while (reply !== expected) {
    if (!expected.startsWith(reply)) throw new Error(`the stream has ${JSON.stringify(reply)}`);
    // The process shut down, and broke the connection.
    const rest = await transport.reconnectToStream({ chatId });
    // The turn has ended meanwhile, so a page reads the stored messages.
    if (!rest) {
      const last = (await readHistory(client, chatId)).items.at(-1);
      return requireEqual(last && textOf(last), expected);
    }
    reply = await replyIn(rest);
  }
}

async function replyIn(stream: ReadableStream<UIMessageChunk>): Promise<string> {
  let reply = '';
  for await (const message of readUIMessageStream({ stream })) reply = textIn(message);
  return reply;
}

async function askByMcp(client: Client, round: number): Promise<void> {
  const mcp = await connectMcp(client.url, { key: client.key });
  const args = { deployment_id: DEMO_AGENT_ID, content: textContent(`round ${round}`) };
  const { content } = await callTool(mcp, 'ask_deployment', args);
  requireEqual(content, `You said: round ${round}`);
  await mcp.close();
}
