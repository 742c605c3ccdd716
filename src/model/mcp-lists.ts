import { hash } from 'node:crypto';
import type { McpServer, McpTool } from '../domain/actions/mcp-port.ts';

const GOOD_MS = 60_000;

/** So that a server which is down holds up one turn in a while, and not each. */
const FAILED_MS = 10_000;

const MOST_KEPT = 500;

interface Kept {
  readonly list: Promise<readonly McpTool[]>;
  until: number;
}

/** Lists of tools, each asked for once a minute at most; who asks meanwhile waits for the same answer. */
export class ToolLists {
  readonly #kept = new Map<string, Kept>();
  readonly #read: (server: McpServer) => Promise<readonly McpTool[]>;

  constructor(read: (server: McpServer) => Promise<readonly McpTool[]>) {
    this.#read = read;
  }

  of(server: McpServer): Promise<readonly McpTool[]> {
    // With other credentials a server may offer other tools.
    const key = hash('sha256', JSON.stringify(server), 'base64');
    const known = this.#kept.get(key);
    if (known && known.until > Date.now()) return known.list;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    const fresh: Kept = { list: this.#read(server), until: Date.now() + GOOD_MS };
    this.#kept.set(key, fresh);
    fresh.list.catch(() => {
      fresh.until = Date.now() + FAILED_MS;
    });
    return fresh.list;
  }
}
