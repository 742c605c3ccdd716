import { BoundedCache, bytesOfJson } from '../../cache/bounded-cache.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { McpServer, McpTool, McpToolList } from '../../domain/actions/mcp-port.ts';
import { keyOf } from './session.ts';
import type { ReadList } from './tools.ts';

/** If the server does not say how long its list stays the same. */
const GOOD_MS = 60_000;

/** Many servers say 0 without a reason. */
const LEAST_MS = LIMITS.mcpListLeastSeconds * 1_000;

const MOST_MS = LIMITS.mcpListMostSeconds * 1_000;

/** Failures are cached as well, so that an unavailable server delays few turns. */
const FAILED_MS = 10_000;

interface CachedList {
  readonly list: Promise<McpToolList>;
  /** By `performance.now()`. */
  until: number;
  /** Empty until the list has arrived. */
  tools: readonly McpTool[];
}

/** Caches lists of tools for as long as their servers say, within limits. Concurrent readers share one request. */
export class ToolLists {
  readonly #cache = new BoundedCache<CachedList>('mcpTools');
  readonly #read: (server: McpServer) => Promise<ReadList>;

  constructor(read: (server: McpServer) => Promise<ReadList>) {
    this.#read = read;
  }

  of(server: McpServer): Promise<McpToolList> {
    const key = keyOf(server);
    const cached = this.#cache.get(key);
    if (cached && cached.until > performance.now()) return cached.list;
    const list = this.#read(server);
    const fresh: CachedList = { list, until: performance.now() + GOOD_MS, tools: [] };
    this.#cache.set(key, fresh, 0);
    list.then(
      ({ tools, ttlMs = GOOD_MS }) => {
        fresh.tools = tools;
        fresh.until = performance.now() + Math.min(Math.max(ttlMs, LEAST_MS), MOST_MS);
        if (this.#cache.get(key) === fresh) this.#cache.set(key, fresh, bytesOf(tools));
      },
      () => {
        fresh.until = performance.now() + FAILED_MS;
      },
    );
    return list;
  }

  /** A tool of the last list, without a request. */
  known(server: McpServer, name: string): McpTool | undefined {
    return this.#cache.get(keyOf(server))?.tools.find((tool) => tool.name === name);
  }

  /** The next reader asks the server. */
  forget(server: McpServer): void {
    this.#cache.delete(keyOf(server));
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
