/** How to reach an MCP server. */
export interface McpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The result of a tool call. */
export interface McpResult {
  /** The tool reports that it failed. */
  readonly isError: boolean;
  /** The structured content. Otherwise the texts, with a note for each part that is not text. */
  readonly content: unknown;
}

/** The input of a tool call. */
export interface McpCall {
  /** The tool's name on its server. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Calls MCP servers. Implemented in `src/model`. */
export interface McpPort {
  /** Lists the tools of a server. The list is at most one minute old. @throws {McpError} */
  listTools(server: McpServer): Promise<readonly McpTool[]>;
  /** Calls a tool once, without retries. @throws {McpError} or the reason of the signal */
  callTool(server: McpServer, call: McpCall): Promise<McpResult>;
}

/** A failed request to an MCP server. `message` is safe to show: it does not contain the server's text. */
export class McpError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'McpError';
  }
}
