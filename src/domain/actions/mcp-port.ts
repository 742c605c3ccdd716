/** An MCP server as it is reached. */
export interface McpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A tool as its server tells of it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a tool answered. */
export interface McpAnswer {
  /** The tool says itself that it failed. */
  readonly isError: boolean;
  /** Its structured content, else its texts, with a note for each part that is none. */
  readonly content: unknown;
}

/** A tool that is called. */
export interface McpCall {
  /** As the server names it. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The way to MCP servers. Implemented in `src/model`. */
export interface McpPort {
  /** What a server offers, as of a minute ago at most. @throws {McpFault} */
  listTools(server: McpServer): Promise<readonly McpTool[]>;
  /** Calls a tool once; it is never tried again. @throws {McpFault} or the reason of the signal */
  callTool(server: McpServer, call: McpCall): Promise<McpAnswer>;
}

/** Why a server gave no answer. `message` may be shown: it holds nothing that the server said. */
export class McpFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'McpFault';
  }
}
