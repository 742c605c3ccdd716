import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowConfigInput } from '../../src/domain/workflows/config.ts';
import { connect } from './actions.ts';
import type { FakeReply } from './fake-provider.ts';
import { startMcp } from './mcp-server.ts';
import { type ProviderService, startProviderService } from './provider-service.ts';
import { replyWith, Talk } from './talk.ts';

/** A PNG that no other test has, whose header says this size. */
export function pngOf(width = 1, height = 1): Buffer {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([png, size, randomBytes(32)]);
}

/** A part of a tool result. */
export const imagePart = (bytes: Uint8Array, mimeType = 'image/png') => ({
  type: 'image',
  data: Buffer.from(bytes).toString('base64'),
  mimeType,
});

/** An embedded file of a tool result. */
export const filePart = (bytes: Uint8Array, mimeType: string, uri = 'file:///reports/May%20report.pdf') => ({
  type: 'resource',
  resource: { uri, mimeType, blob: Buffer.from(bytes).toString('base64') },
});

/** A workflow with the tool `web_shot`. */
export const WITH_TOOL: WorkflowConfigInput = {
  mcpServers: [{ name: 'web', integration: 'Browser', timeoutSeconds: 20, approval: { mode: 'never' } }],
};

/** The model calls the tool. */
export const CALL_TOOL: FakeReply = { kind: 'answer', calls: [{ name: 'web_shot', arguments: '{}' }] };

/** The stored output of a call. */
export interface StoredOutput {
  readonly error?: string;
  readonly content: string;
  readonly note?: string;
  readonly files?: readonly { readonly file_id: string; readonly file_uri: string }[];
}

/** The result of the tool, and what happens while it works. */
interface NextResult {
  readonly parts: readonly object[];
  readonly isError?: boolean;
  readonly structuredContent?: object;
  readonly during?: () => Promise<unknown>;
}

/** A service with a provider and an MCP server whose results the test sets. */
export interface ResultTalks {
  readonly provided: ProviderService;
  /** Sets the results of the tool. */
  result(next: NextResult): void;
  /** A turn in which the model calls the tool once. */
  talk(result: NextResult, config?: WorkflowConfigInput): Promise<Talk>;
  /** The output of the latest call. */
  output(talk: Talk): Promise<StoredOutput>;
  /** How many files the storage has. */
  stored(): Promise<number>;
  close(): Promise<void>;
}

export async function startResultTalks(): Promise<ResultTalks> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-test-results-'));
  const provided = await startProviderService({ files: { kind: 'directory', path: directory } });
  let next: NextResult = { parts: [] };
  const server = await startMcp({
    shot: {
      call:
        (_, { message }) =>
        async (response) => {
          const { parts: content, during, isError = false, ...result } = next;
          await during?.();
          const body = { jsonrpc: '2.0', id: message?.id, result: { ...result, content, isError } };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        },
    },
  });
  await connect(provided.service, { kind: 'mcp', name: 'Browser', url: server.url });
  return {
    provided,
    result: (result) => {
      next = result;
    },
    async talk(result, config = {}) {
      const talk = await Talk.with(provided, { ...WITH_TOOL, ...config });
      next = result;
      provided.provider.reply(CALL_TOOL, replyWith('I see.'));
      await talk.say('Look.');
      return talk;
    },
    async output(talk) {
      const item = await provided.service.service.services.stores.prisma.timelineItem.findFirstOrThrow({
        where: { conversationId: talk.id as string, kind: 'action' },
        orderBy: { id: 'desc' },
      });
      return item.output as unknown as StoredOutput;
    },
    stored: async () =>
      (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length,
    async close() {
      await provided.close();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
