import { hash } from 'node:crypto';
import { BoundedCache, bytesOfJson } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';
import type { McpServer, McpTool } from '../domain/actions/mcp-port.ts';

const GOOD_MS = 60_000;

/** Failures are cached as well, so that an unavailable server delays few turns. */
const FAILED_MS = 10_000;

interface CachedList {
  readonly list: Promise<readonly McpTool[]>;
  /** By `performance.now()`. */
  until: number;
}

/** Caches lists of tools for a minute. Concurrent readers share one request. */
export class ToolLists {
  readonly #cache = new BoundedCache<CachedList>('mcpTools');
  readonly #read: (server: McpServer) => Promise<readonly McpTool[]>;

  constructor(read: (server: McpServer) => Promise<readonly McpTool[]>) {
    this.#read = read;
  }

  of(server: McpServer): Promise<readonly McpTool[]> {
    // A server may offer other tools with other credentials.
    const key = hash('sha256', JSON.stringify(server), 'base64');
    const cached = this.#cache.get(key);
    if (cached && cached.until > performance.now()) return cached.list;
    const fresh: CachedList = { list: this.#read(server), until: performance.now() + GOOD_MS };
    this.#cache.set(key, fresh, 0);
    fresh.list.then(
      (tools) => {
        if (this.#cache.get(key) === fresh) this.#cache.set(key, fresh, bytesOf(tools));
      },
      () => {
        fresh.until = performance.now() + FAILED_MS;
      },
    );
    return fresh.list;
  }
}

/** A schema can be too deep to be written as JSON. Then the list counts as much as the service reads of one. */
function bytesOf(tools: readonly McpTool[]): number {
  try {
    return bytesOfJson(tools);
  } catch {
    return 4 * LIMITS.actionAnswerBytes;
  }
}
