/** A tool that the server runs, in the form that is stored with the run. Built-in tools are `tool`, configured ones `action`. */
export interface OfferedAction {
  readonly kind: 'tool' | 'action';
  readonly name: string;
  readonly description: string;
  /** A JSON Schema with `type: object`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The owner of the integration trusts the hint of its server that this tool only reads. */
  readonly isReadOnly?: true;
  /** Set for a tool of an MCP server: the server's name in the workflow, and the tool's name on that server. */
  readonly source?: { readonly server: string; readonly tool: string };
}

/** Sorts tools by name, so that the order of configured tools, or of a server's list, does not change a cached prompt. */
export function sortedByName<Tool extends Pick<OfferedAction, 'name'>>(tools: readonly Tool[]): Tool[] {
  // Not by locale: each process must find the same order.
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}
