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
  /** The server says that the tool changes nothing. Only the owner of the integration knows whether that is true. */
  readonly isReadOnly: boolean;
}

/** A tool that cannot be offered. */
export interface LeftOutTool {
  /** Its name, or its position in the list if it has no name. */
  readonly name: string;
  /** Safe to show: it does not contain the server's text. */
  readonly reason: string;
}

/** The tools of a server. */
export interface McpToolList {
  readonly tools: readonly McpTool[];
  readonly leftOut: readonly LeftOutTool[];
  /** Why the list has only the first tools. Null: it has all. */
  readonly problem: string | null;
}

/** The result of a tool call. */
export interface McpResult {
  /** The tool reports that it failed. */
  readonly isError: boolean;
  /** The texts and files, in order, with a note for each part that is neither. */
  readonly parts: readonly (string | McpFile)[];
  /** The structured content. Undefined: the result has no such content. */
  readonly value: unknown;
}

/** A file of a result, as the server sent it: nothing is checked. */
export interface McpFile {
  readonly kind: 'image' | 'audio' | 'resource';
  /** What the server says. Undefined: nothing, or no media type. */
  readonly mediaType: string | undefined;
  readonly base64: string;
  /** The address of an embedded resource. */
  readonly uri: string | undefined;
}

/** The input of a tool call. */
export interface McpCall {
  /** The tool's name on its server. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Headers of this call only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the server reports progress, a limited number of times. Undefined: the server is not asked for it. */
  readonly onProgress?:
    | ((facts: { readonly progress: number; readonly total: number | undefined }) => void)
    | undefined;
}

/** Calls MCP servers. Implemented in `src/model`. */
export interface McpPort {
  /** Lists the tools of a server. The list is at most five minutes old. @throws {McpError} */
  listTools(server: McpServer): Promise<McpToolList>;
  /** Calls a tool once, without retries of a call that the server has accepted. @throws {McpError} or the reason of the signal */
  callTool(server: McpServer, call: McpCall): Promise<McpResult>;
}

/** Why a server refused a request: it asks for other credentials, maybe those of OAuth, or for these scopes. */
export type McpChallenge =
  | { readonly kind: 'credentials'; readonly isOAuth: boolean }
  | { readonly kind: 'scope'; readonly scope: string };

interface McpErrorFacts {
  readonly cause?: unknown;
  readonly serverText?: string | undefined;
  readonly challenge?: McpChallenge | undefined;
}

/** A failed request to an MCP server. `message` is safe to show: it does not contain the server's text. */
export class McpError extends Error {
  /** The server's text, for the model only. It has a limited length. */
  readonly serverText: string | undefined;
  /** The server has not run the request. */
  readonly challenge: McpChallenge | undefined;

  constructor(message: string, { cause, serverText, challenge }: McpErrorFacts = {}) {
    super(message, { cause });
    this.name = 'McpError';
    this.serverText = serverText;
    this.challenge = challenge;
  }
}
