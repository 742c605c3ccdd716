/** A tool that the server runs, in the form that is stored with the run. Built-in tools are `tool`, configured ones `action`. */
export interface OfferedAction {
  readonly kind: 'tool' | 'action';
  readonly name: string;
  readonly description: string;
  /** A JSON Schema with `type: object`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Set for a tool of an MCP server: the server's name in the workflow, and the tool's name on that server. */
  readonly source?: { readonly server: string; readonly tool: string };
}
